import type { HttpRequest } from '../../http/exchange.ts';
import type { Client } from './clients.ts';
import type { Exchange } from './exchange.ts';

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
 * network failure. The error is the same for all, and no cookies are sent. {@link allowOrigin} restricts later answers.
 */
export function allowRefusal({ request, response }: Exchange): void {
  response.setHeader('Vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate');
}

/** Allows only the origins of a client's redirect addresses to read an answer. */
export function allowOrigin(exchange: Exchange, { redirectOrigins }: Client): void {
  const { request, response } = exchange;
  const { origin } = request.headers;
  allowRefusal(exchange);
  if (origin === undefined || redirectOrigins.includes(origin)) return;
  response.removeHeader('Access-Control-Allow-Origin');
  response.removeHeader('Access-Control-Expose-Headers');
}
