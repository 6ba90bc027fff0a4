import { settings } from '../lib/settings.ts';
import type { GatewayRequest, GatewayResponse } from './exchange.ts';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const requestHeaders = 'authorization, content-type, idempotency-key, if-match, x-request-id, x-tenant-id';
const exposedHeaders = 'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id';
const preflightSeconds = 600;

/** What every answer carries: nothing here is a page that others may frame, sniff or cache. */
export function setSecurityHeaders(response: GatewayResponse): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Cache-Control', 'no-store');
  if (settings.PUBLIC_URL.startsWith('https:')) {
    response.setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
  }
}

/** Cross-origin access for the configured origins alone, without cookies: a page sends its credential itself. */
export function setCorsHeaders(request: GatewayRequest, response: GatewayResponse): void {
  if (settings.CORS_ORIGINS.length === 0) return;
  response.setHeader('Vary', 'Origin');
  const { origin } = request.headers;
  if (!origin || !settings.CORS_ORIGINS.includes(origin)) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', exposedHeaders);
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  if (request.method !== 'OPTIONS') return;
  response.setHeader('Access-Control-Allow-Methods', methods);
  response.setHeader('Access-Control-Allow-Headers', requestHeaders);
  response.setHeader('Access-Control-Max-Age', preflightSeconds);
}
