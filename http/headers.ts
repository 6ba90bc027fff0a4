import type { Exposure } from '../lib/contract.ts';
import { errorCode } from '../lib/errors.ts';
import { settings } from '../lib/settings.ts';
import type { AnswerHeaders, HttpRequest, HttpResponse } from './exchange.ts';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const requestHeaders =
  'authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, range, x-request-id, x-tenant-id';
const exposedHeaders =
  'Access-Revision, Content-Range, ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id';
const preflightSeconds = 600;

const closedPolicy = "default-src 'none'";
const noFraming = "frame-ancestors 'none'";

/** The security headers of every answer: no framing, no content sniffing, no caching. */
const securityHeaders: AnswerHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': `${closedPolicy}; ${noFraming}`,
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  ...(settings.PUBLIC_URL.startsWith('https:') && {
    'Strict-Transport-Security': `max-age=31536000${settings.HSTS_SUBDOMAINS ? '; includeSubDomains' : ''}`,
  }),
};

/** The headers of every answer to a request. */
export function headersFor(request: HttpRequest): AnswerHeaders {
  const headers = { 'X-Request-Id': request.requestId, ...securityHeaders };
  return settings.CORS_ORIGINS.length === 0 ? headers : Object.assign(headers, corsHeaders(request));
}

/** Applies the browser policy of an endpoint to the headers of the answer. */
export function expose({ answerHeaders }: HttpRequest, exposure: Exposure): void {
  const { caching, cors, embedding, framing, contentPolicy } = exposure;
  if (caching) answerHeaders['Cache-Control'] = caching;
  if (embedding) answerHeaders['Cross-Origin-Resource-Policy'] = embedding;
  if (cors) for (const name of Object.keys(answerHeaders)) if (name.startsWith('Access-')) delete answerHeaders[name];
  if (cors === 'any') Object.assign(answerHeaders, corsForAll);
  if (framing) delete answerHeaders['X-Frame-Options'];
  if (!framing && !contentPolicy) return;
  const ancestors = framing ? `frame-ancestors ${framing.join(' ')}` : noFraming;
  answerHeaders['Content-Security-Policy'] = `${contentPolicy ?? closedPolicy}; ${ancestors}`;
}

/** Sets the CORS headers of an error response that its endpoint computes from the request. */
export async function exposeRefusal(request: HttpRequest, error: unknown): Promise<void> {
  const { corsOfRefusal, parameters: path, query, headers, answerHeaders } = request;
  // The failure most likely failed the request too, and must not replace its error.
  const chosen = await corsOfRefusal?.({ path, query, headers }, errorCode(error)).catch(() => ({}));
  Object.assign(answerHeaders, chosen);
}

const corsForAll: AnswerHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders,
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** The headers that allow the request after a preflight, except for its methods. */
export const preflightHeaders: AnswerHeaders = {
  'Access-Control-Allow-Headers': requestHeaders,
  'Access-Control-Max-Age': preflightSeconds,
};

/** Cross-origin access for the configured origins only, without cookies: a page sends its credential itself. */
function corsHeaders({ headers: { origin }, method }: HttpRequest): AnswerHeaders {
  if (!origin || !settings.CORS_ORIGINS.includes(origin)) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': exposedHeaders,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ...(method === 'OPTIONS' && { 'Access-Control-Allow-Methods': methods, ...preflightHeaders }),
  };
}

/**
 * Sets the common headers of an answer for handlers that add their own. Only the first call has an effect, so that the
 * handlers' headers are not overwritten.
 */
export function setHeaders({ answerHeaders }: HttpRequest, response: HttpResponse): void {
  if (response.headersSent || response.hasHeader('X-Request-Id')) return;
  for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
}
