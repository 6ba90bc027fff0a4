import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { ServiceBroker } from 'moleculer';
import type { Caller, Ctx, RequestMeta } from '../lib/contract/context.ts';
import type { Contract } from '../lib/contract/contract.ts';
import type { Action } from '../lib/contract/define-action.ts';
import type { ErrorDetail } from '../lib/contract/errors.ts';
import { networkOf } from '../lib/net/address.ts';
import { isLoopbackAddress, isLoopbackHostHeader } from '../lib/settings/mongo-url.ts';
import { settings } from '../lib/settings/settings.ts';
import type { PageCookie } from '../web/browser.ts';
import type { Progress } from './listener.ts';

/**
 * The client address of a request. Only the entries of X-Forwarded-For by trusted proxies count: with TRUSTED_PROXIES
 * of them, the client's address is that many entries from the right. When that entry is not an address, such as
 * `unknown`, the peer's address is used.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number = settings.TRUSTED_PROXIES): string {
  const peer = request.socket?.remoteAddress ?? 'unknown';
  if (trustedProxies === 0) return peer;
  const forwarded = [request.headers['x-forwarded-for'] ?? ''].flat().join(',');
  const addresses = forwarded
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
  const address = withoutPort(addresses.at(-trustedProxies) ?? '');
  return isIP(address) === 0 ? peer : address;
}

/** The network by which rate limits count an address: see {@link networkOf}. */
export function clientNetwork(request: IncomingMessage): string {
  return networkOf(clientAddress(request));
}

/** Removes the client's port, which some proxies add: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

const isSecure = settings.PUBLIC_URL.startsWith('https:');
/**
 * Under https the prefix makes browsers reject a cookie that another host or an insecure page set (RFC 6265bis 4.1.3).
 */
const prefix = isSecure ? '__Host-' : '';

/** The cookies of the platform's pages; all are host-only and HttpOnly. */
export type CookieName = PageCookie['name'];

/** The name of the cookie in browsers. */
export const cookieName = (name: CookieName): string => `${prefix}platform_${name}`;

/** The value of a cookie; undefined when it is absent, or sent twice, which no browser does. */
export function readCookie({ headers }: Pick<IncomingMessage, 'headers'>, name: CookieName): string | undefined {
  const start = `${cookieName(name)}=`;
  const values = (headers.cookie ?? '').split(/; */).filter((pair) => pair.startsWith(start));
  return values.length === 1 ? values[0]?.slice(start.length) : undefined;
}

/** Sets a cookie of the platform until `expiresAt`, or until the browser closes when that is absent. */
export function setCookie(response: ServerResponse, name: CookieName, value: string, expiresAt?: Date): void {
  const lifetime = expiresAt ? `; Expires=${expiresAt.toUTCString()}` : '';
  append(response, `${cookieName(name)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${lifetime}`);
}

export function clearCookie(response: ServerResponse, name: CookieName): void {
  setCookie(response, name, '', new Date(0));
}

const secure = isSecure ? '; Secure' : '';

function append(response: ServerResponse, cookie: string): void {
  const previous = response.getHeader('Set-Cookie');
  response.setHeader('Set-Cookie', previous === undefined ? cookie : [previous, cookie].flat().map(String));
}

/** Node's request, with the data that the pipeline has added so far. */
export type HttpRequest = IncomingMessage & {
  requestId: string;
  startedAt: number;
  /** When a sweep first saw the request complete. */
  receivedAt?: number;
  /** Sends `100 Continue` to a client that waits for it before its body; absent when none waits. */
  allowBody?: (() => void) | undefined;
  /** The progress of its body and of its answer, from the first sweep that sees them. */
  upload?: Progress;
  download?: Progress;
  /** Whether it was answered after a timeout of its handler or its client; a later answer of the handler is dropped. */
  hasTimedOut?: boolean;
  /**
   * The headers of every answer. They are written together with the others, because setting them one by one is slow.
   */
  answerHeaders: AnswerHeaders;
  /** The original method: HEAD is routed as GET. */
  receivedMethod: string;
  /** The route that matched; `fullPath` is its pattern, such as `/v1/story/customers/:customerId`. */
  route?: { fullPath: string };
  /** The contract of the route's action. */
  contract?: Contract;
  /** Computes the CORS headers of an error response of the route's action; absent where the default headers apply. */
  corsOfRefusal?: Action['corsOfRefusal'];
  /** The caller of a request that was rejected after its credential was accepted: by a rate limit, for its tenant. */
  rejectedCaller?: Caller | undefined;
  /** The OAuth client that the request names; it may not have proved its secret. */
  oauthClient?: { orgId: string; applicationId: string; clientId: string };
  /** The error that it was answered with, as JSON or as a page. */
  answeredError?: AnsweredError;
  /** Ends the admission of a costly request. */
  release?: () => void;
  /** The context for calls to services. */
  ctx: Ctx;
  /** The values of the route's path parameters. */
  parameters: Record<string, string>;
  query: Query;
  /** The query parameter `lastEventId`, for clients of event streams that cannot send the header. */
  lastEventId?: string;
};

/** Sends `100 Continue` to a client that waits for it before its body (RFC 9110 section 10.1.1). */
export function continueBody(request: HttpRequest): void {
  request.allowBody?.();
  request.allowBody = undefined;
}

/** A context for calls to services on behalf of a request. */
export function newContext(broker: ServiceBroker, requestID: string, meta: RequestMeta = {}): HttpRequest['ctx'] {
  return broker.ContextFactory.create(broker, null as never, {}, { requestID, meta }) as HttpRequest['ctx'];
}

/** The error of an answer; the code is one of the catalogue of the node that made it, or of OAuth. */
export type AnsweredError = { error: string; message: string; details?: ErrorDetail[] | undefined };

export type AnswerHeaders = Record<string, string | number>;

export type HttpResponse = ServerResponse;

/** A parameter that is sent once is a string, a repeated one an array, which a string schema rejects. */
export type Query = Record<string, string | string[]>;

/** The parameters of a query string, in an object without prototype. */
export function parseQuery(text: string): Query {
  const query: Query = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const previous = query[name];
    query[name] = previous === undefined ? value : [previous, value].flat();
  }
  return query;
}

/** The headers that proxies, load balancers and content delivery networks add to a forwarded request. */
const forwardingHeader = new RegExp(
  `^(?:${[
    'forwarded',
    'via',
    'x-forwarded(?:-.*)?',
    'x-real-ip',
    'x-(?:cluster-)?client-ip',
    'x-original-.*',
    'x-proxyuser-ip',
    'x-envoy-.*',
    'x-amzn?-.*',
    'x-azure-.*',
    'x-appengine-.*',
    'x-cloud-trace-context',
    'true-client-ip',
    'fastly-.*',
    'fly-.*',
    'cf-.*',
    'cdn-loop',
    'cloudfront-.*',
    'ngrok-.*',
    'tailscale-.*',
  ].join('|')})$`,
);

/**
 * Whether a request comes from this machine: the peer and `Host` are loopback, and no proxy forwarded it. Checking
 * `Host` prevents DNS rebinding by another site. Always false when the platform serves more than this machine.
 */
export function isFromThisMachine({ socket, headers }: IncomingMessage, { isPublic } = settings): boolean {
  if (isPublic || !isLoopbackAddress(socket.remoteAddress) || !isLoopbackHostHeader(headers.host)) return false;
  return !Object.keys(headers).some((name) => forwardingHeader.test(name));
}
