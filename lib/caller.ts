/** Who makes a request, as the gateway established it. It travels in `meta` on every hop, so it stays small. */
export type Caller = {
  type: 'application';
  /** The application's id. */
  id: string;
  /** The organization the credential belongs to. */
  orgId: string;
  scopes: string[];
  keyId: string;
};

/** What the gateway tells services about a request beside its input. */
export type RequestMeta = {
  caller?: Caller;
  /** The refusal of a credential, left to the service when its contract refuses wrong shapes first. */
  refusal?: { code: string; message: string };
  idempotencyKey?: string;
  $responseHeaders?: Record<string, string>;
};
