import type { HttpRequest, HttpResponse } from '../../http/request.ts';
import type { Client } from './clients.ts';
import type { Exchange } from './request.ts';

/** An error in the format of OAuth (RFC 6749 section 5.2) instead of the format of the other APIs. */
export class OAuthRefusal extends Error {
  readonly status: number;
  readonly error: string;
  readonly challenge: string | undefined;

  constructor(status: number, error: string, description: string, challenge?: string) {
    super(description);
    this.status = status;
    this.error = error;
    this.challenge = challenge;
  }
}

export function sendRefusal(response: HttpResponse, { status, error, message, challenge }: OAuthRefusal): void {
  if (challenge) response.setHeader('WWW-Authenticate', challenge);
  sendJson(response, status, { error, error_description: message });
}

export function sendJson(response: HttpResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  response.end(text);
}

const preflightSeconds = 3600;

/** Whether a request is a CORS preflight (Fetch, section 3.2.2). */
export function isPreflight({ method, headers }: HttpRequest): boolean {
  const isComplete = headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
  return method === 'OPTIONS' && isComplete;
}

export function answerPreflight({ request, response }: Exchange, methods: string): void {
  // A preflight does not name the client. The answer to the request itself is restricted to the client's origins.
  response.writeHead(204, {
    'Access-Control-Allow-Origin': request.headers.origin,
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': 'authorization, content-type',
    'Access-Control-Max-Age': preflightSeconds,
    Vary: 'Origin',
  });
  response.end();
}

/**
 * Allows any page to read the error for an unknown client or token, so that it can distinguish an expired token from a
 * network failure. The error is the same for all, and no cookies are sent. {@link restrictOrigin} restricts later answers.
 */
export function allowRefusal({ request, response }: Exchange): void {
  response.setHeader('Vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate');
}

/** Withdraws {@link allowRefusal} from origins that are not registered for the client, once the client is known. */
export function restrictOrigin({ request, response }: Exchange, { redirectOrigins }: Client): void {
  const { origin } = request.headers;
  if (origin === undefined || redirectOrigins.includes(origin)) return;
  response.removeHeader('Access-Control-Allow-Origin');
  response.removeHeader('Access-Control-Expose-Headers');
}

/** The exact, case-sensitive prefix of all OAuth paths. */
const mount = '/oauth2';
/** The discovery document of an issuer with a path, by RFC 8414 section 3.1. */
const wellKnown = '/.well-known/oauth-authorization-server/oauth2';
const discovery = '/oauth2/.well-known/openid-configuration';

/**
 * A path and its methods. `isShared`: programs call it, also from pages of other origins; browsers navigate to the
 * other paths. `isPublic`: it takes no credential.
 */
export type Path = { pattern: string; methods: string[]; isShared: boolean; isPublic: boolean };

const get = ['GET', 'HEAD'];

const browser = { isShared: false, isPublic: false };
const program = { isShared: true, isPublic: false };
const open = { isShared: true, isPublic: true };

const paths: Record<string, Omit<Path, 'pattern'>> = {
  '/oauth2/auth': { methods: [...get, 'POST'], ...browser },
  '/oauth2/token': { methods: ['POST'], ...program },
  '/oauth2/userinfo': { methods: [...get, 'POST'], ...program },
  '/oauth2/introspect': { methods: ['POST'], ...program },
  '/oauth2/revoke': { methods: ['POST'], ...program },
  '/oauth2/session/end': { methods: [...get, 'POST'], ...browser },
  '/oauth2/session/end/confirm': { methods: ['POST'], ...browser },
  '/oauth2/session/end/success': { methods: get, ...browser },
  '/oauth2/.well-known/jwks.json': { methods: get, ...open },
  '/oauth2/.well-known/oauth-authorization-server': { methods: get, ...open },
  [discovery]: { methods: get, ...open },
};

const resumption = /^\/oauth2\/auth\/[\w-]{1,100}$/;
const interaction = /^\/oauth2\/interaction\/([\w-]{1,100})$/;

/** Whether a path belongs to OAuth, and not to a service. */
export function isOAuthPath(path: string): boolean {
  return path === mount || path.startsWith(`${mount}/`) || path === wellKnown;
}

/** The provider's internal path for a requested path. */
export function canonicalPath(path: string): string {
  return path === wellKnown ? discovery : path;
}

/**
 * Finds a path by its exact spelling; null when there is none. The provider itself ignores case and a trailing slash.
 */
export function findPath(path: string): Path | null {
  const known = Object.hasOwn(paths, path) ? paths[path] : undefined;
  if (known) return { pattern: path, ...known };
  if (resumption.test(path)) return { pattern: '/oauth2/auth/:uid', methods: get, ...browser };
  if (interactionOf(path) === null) return null;
  return { pattern: '/oauth2/interaction/:uid', methods: [...get, 'POST'], ...browser };
}

/** The id of the interaction of a path; null for any other path. */
export function interactionOf(path: string): string | null {
  return interaction.exec(path)?.[1] ?? null;
}

/** The part of a URL below the mount path, which the provider routes by. */
export function belowMount(url: string): string {
  return url.slice(mount.length);
}
