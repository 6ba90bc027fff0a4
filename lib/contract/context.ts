import type { Context } from 'moleculer';
import type { defaultLanguage, Language } from '../format/language.ts';
import type { SystemRole } from './authorize.ts';
import type { Action, InputOf, InputSchemas, OutputOf } from './define-action.ts';

/** An application of a tenant, authenticated by an API key or by a token of its OAuth client. */
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
  /** Set while the organization is suspended: the gateway refuses the credential. */
  isSuspended?: true;
};

/**
 * A user's role in an organization; `extras` are the platform's permissions that the user has from other roles. The user
 * cannot act in it with `isSuspended`, while the organization is suspended, and with `isSessionOld`, when the login is
 * older than the organization allows.
 */
export type Membership = {
  orgId: string;
  role: SystemRole;
  extras?: string[];
  isSuspended?: true;
  isSessionOld?: true;
};

/** A person, by a session of the browser or by an access token that a client holds for them. */
export type UserCaller = {
  type: 'user';
  /** The user's id. */
  id: string;
  memberships: Membership[];
  /** The organization of this call; null when none is named and the user belongs to several. */
  orgId: string | null;
  /** The user's permissions in that organization. */
  scopes: string[];
  /** With a session: its id. */
  sessionId?: string;
  /** With a session: set for an operator of the platform. */
  isOperator?: true;
  /** With a token: the client that holds it, and the scopes it was granted. */
  clientId?: string;
  granted?: string[];
  /** With a token: set while the client's organization is suspended. The gateway refuses the token. */
  isSuspended?: true;
};

/** The caller of a request, as the gateway authenticated it. `meta` carries it on every hop, so it must stay small. */
export type Caller = ApplicationCaller | UserCaller;

/** Where a request came from, for sessions and the audit log. */
export type ClientMeta = { address: string; userAgent: string };

/** The platform's cookies in the visitor's browser, parsed, for pages. */
export type BrowserMeta = {
  /** Its random id, 128 bits; null when it sent none. It holds no personal data. */
  id: string | null;
  /** The hash of the token of its session; null without one. */
  sessionTokenHash: string | null;
  /** The signed entries by which accounts recognize it as a device; null when it sent none. */
  device: string | null;
  /** The token that opens the mailbox for development; absent when it sent none. */
  mailboxToken?: string;
  /** The organization whose console was opened last; absent when it sent none. Not verified. */
  organizationId?: string;
  /** The chosen colour scheme; absent when it follows the system. Not verified. */
  theme?: string;
  /** The platform's page that it came from, with its query; absent for other sites. */
  referer?: string;
  /** Whether it runs on the platform's own machine, while the platform serves no other. */
  isThisMachine: boolean;
};

/** The request data that the gateway passes to services in addition to the input. */
export type RequestMeta = {
  caller?: Caller;
  client?: ClientMeta;
  /** Present for pages only. */
  browser?: BrowserMeta;
  /** The language of pages and mails, which the visitor chose or their browser prefers. Absent for English. */
  language?: Exclude<Language, typeof defaultLanguage>;
  /** The website of a widget's request, set by the service that verified the token of its visitor. */
  website?: { orgId: string; siteId: string };
  /** Set while an action of operators runs, for the audit log. */
  actsAsOperator?: true;
  /** Set for HEAD where the answer is a stream: the content is not sent, so the action need not produce it. */
  isHead?: true;
  /** The error of an invalid credential, which the service throws when its contract validates the input first. */
  refusal?: { code: string; message: string };
  idempotencyKey?: string;
  $responseHeaders?: Record<string, string>;
  /** The status of a replayed answer, when it differs from the contract's. */
  $statusCode?: number;
};

/** The context of a call that began with a request. */
export type Ctx = Context<unknown, RequestMeta>;

/** A context for {@link call}, or the broker outside of a request. */
export type CallContext = Pick<Context, 'call'>;
/** A context, or an object with the broker, for its logger and for calls without the credential of a request. */
export type BrokerContext = Pick<Context, 'broker'>;
/** A context for broadcasts whose failure is logged. */
export type PublishContext = Pick<Context, 'broadcast' | 'broker'>;

/**
 * The credentials that were revoked or changed; the payload of `identity.credentials.changed`, for gateways. `orgId`:
 * the organization was suspended or restored, which concerns all that acts for it.
 */
export type CredentialsChange = { tokenHash?: string; userId?: string; clientId?: string; orgId?: string };

/**
 * The subjects whose permissions in an organization have changed, null for all; part of the payload of
 * `access.changed`.
 */
export type AccessChange = { orgId: string; subjects: string[] | null };

/** The id of a credential, for rate limits and for display. */
export function credentialId(caller: Caller): string {
  if (caller.type === 'application') return caller.keyId ?? caller.clientId ?? caller.id;
  return caller.sessionId ?? `${caller.clientId} ${caller.id}`;
}

/**
 * The timeout of calls, in milliseconds: to an action of another node, to an internal action, and to the action of a
 * request.
 */
export const callTimeout = 10_000;

/**
 * The actions that services can call, by name. `npm run generate` writes `calls.ts` of each service from its action
 * table; a service outside of the repository declares its own.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the services' declarations fill it.
export interface Calls {}

type Input<A> = A extends Action<infer I extends InputSchemas, infer _O> ? InputOf<I> : never;
type Output<A> = A extends Action<infer _I, infer O> ? OutputOf<O> : never;

/** The input of an action, by its name. */
export type CallInput<N extends keyof Calls> = Input<Calls[N]>;
export type CallOutput<N extends keyof Calls> = Output<Calls[N]>;

/**
 * Calls another service's action through the broker, typed by its contract, with the credential of the present caller.
 */
export function call<N extends keyof Calls & string>(
  ctx: CallContext,
  name: N,
  input: CallInput<N>,
): Promise<CallOutput<N>> {
  return ctx.call(name, input);
}
