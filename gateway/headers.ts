import { settings } from '../lib/settings.ts';
import type { AnswerHeaders, GatewayRequest, GatewayResponse } from './exchange.ts';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const requestHeaders = 'authorization, content-type, idempotency-key, if-match, x-request-id, x-tenant-id';
const exposedHeaders =
  'Access-Revision, ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id';
const preflightSeconds = 600;

/** The security headers of every answer: no framing, no content sniffing, no caching. */
const securityHeaders: AnswerHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  ...(settings.PUBLIC_URL.startsWith('https:') && {
    'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  }),
};

/** The headers of every answer to a request. */
export function headersFor(request: GatewayRequest): AnswerHeaders {
  const headers = { 'X-Request-Id': request.requestId, ...securityHeaders };
  return settings.CORS_ORIGINS.length === 0 ? headers : Object.assign(headers, corsHeaders(request));
}

/** Cross-origin access for the configured origins alone, without cookies: a page sends its credential itself. */
function corsHeaders({ headers: { origin }, method }: GatewayRequest): AnswerHeaders {
  if (!origin || !settings.CORS_ORIGINS.includes(origin)) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': exposedHeaders,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ...(method === 'OPTIONS' && {
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': requestHeaders,
      'Access-Control-Max-Age': preflightSeconds,
    }),
  };
}

/**
 * Sets the headers of an answer for handlers that add their own. It does so once, so that theirs are not overwritten.
 */
export function setHeaders({ answerHeaders }: GatewayRequest, response: GatewayResponse): void {
  if (response.headersSent || response.hasHeader('X-Request-Id')) return;
  for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
}
