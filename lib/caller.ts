import type { SystemRole } from './roles.ts';

/** A program of a tenant, by one of its API keys or by a token of its OAuth client. */
export type ApplicationCaller = {
  type: 'application';
  /** The application's id. */
  id: string;
  /** The organization the credential belongs to. */
  orgId: string;
  scopes: string[];
  /** The id of the key, or of the OAuth client. */
  keyId?: string;
  clientId?: string;
};

/** What a user is in an organization; `extras` are permissions of the platform that other roles give them beside that one. */
export type Membership = { orgId: string; role: SystemRole; extras?: string[] };

/** A person, by a session of the browser or by an access token that a client holds for them. */
export type UserCaller = {
  type: 'user';
  /** The user's id. */
  id: string;
  memberships: Membership[];
  /** The organization this call is about; null as long as none is named and several are possible. */
  orgId: string | null;
  /** What the user may do in that organization. */
  scopes: string[];
  /** With a session: its id. */
  sessionId?: string;
  /** With a token: the client that holds it, and the scopes it was granted. */
  clientId?: string;
  granted?: string[];
};

/** Who makes a request, as the gateway established it. It travels in `meta` on every hop, so it stays small. */
export type Caller = ApplicationCaller | UserCaller;

/** Where a request came from, for sessions and the audit log. */
export type ClientMeta = { address: string; userAgent: string };

/** What the gateway tells services about a request beside its input. */
export type RequestMeta = {
  caller?: Caller;
  client?: ClientMeta;
  /** The refusal of a credential, left to the service when its contract refuses wrong shapes first. */
  refusal?: { code: string; message: string };
  idempotencyKey?: string;
  $responseHeaders?: Record<string, string>;
  /** The status of a replayed answer, where it is not the contract's. */
  $statusCode?: number;
};

/** What was revoked, or has other rights from now on: `identity.credentials.changed` tells gateways. */
export type CredentialsChange = { tokenHash?: string; userId?: string; clientId?: string };

/** Who may do something else in an organization from now on, null for anyone: a part of what `access.changed` tells. */
export type AccessChange = { orgId: string; subjects: string[] | null };

/** What counts as one credential where requests are counted and names are given. */
export function credentialId(caller: Caller): string {
  if (caller.type === 'application') return caller.keyId ?? caller.clientId ?? caller.id;
  return caller.sessionId ?? `${caller.clientId} ${caller.id}`;
}
