import { createHash } from 'node:crypto';
import { clientNetwork } from './client-address.ts';
import type { AnswerHeaders, GatewayRequest, GatewayResponse } from './exchange.ts';
import { type RateLimiter, rateLimitHeaders, refuseBeyond } from './rate-limit.ts';

/** A document that is the same for all callers. */
export type SharedDocument = { bytes: Buffer; type: string; etag: string };

export function sharedDocument(bytes: Buffer, type: string): SharedDocument {
  return { bytes, type, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

/**
 * Sends a document, or 304 to a client that has it (RFC 9110 section 13.1.2). Any cache may store it but must
 * revalidate it each time, because it changes when services start or stop. Rate limits count by address.
 *
 * @throws RATE_LIMITED
 */
export async function sendShared(
  limit: RateLimiter,
  request: GatewayRequest,
  response: GatewayResponse,
  find: () => SharedDocument | Promise<SharedDocument>,
  more: AnswerHeaders = {},
): Promise<void> {
  const state = await limit('address', clientNetwork(request));
  if (state) for (const [name, value] of Object.entries(rateLimitHeaders(state))) response.setHeader(name, value);
  refuseBeyond(state);
  const { bytes, type, etag } = await find();
  const headers = { ...more, ETag: etag, 'Cache-Control': 'public, no-cache' };
  if (isKnown(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': bytes.length }).end(bytes);
}

/** Proxies that compress an answer weaken its tag: `W/"…"`. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
