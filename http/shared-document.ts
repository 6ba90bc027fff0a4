import { hash } from 'node:crypto';
import { matches } from '../lib/contract/preconditions.ts';
import { applyRateLimit, limitAddress, type RateLimiter } from './rate-limit.ts';
import { type AnswerHeaders, clientNetwork, type HttpRequest, type HttpResponse } from './request.ts';
import { endCoalesced } from './response.ts';

/** A document that is the same for all callers. Its tag is strong and without quotes. */
export type SharedDocument = { bytes: Buffer; type: string; etag: string };

export function sharedDocument(bytes: Buffer, type: string): SharedDocument {
  return { bytes, type, etag: hash('sha256', bytes, 'base64url') };
}

/**
 * Sends a document, or 304 to a client that has it (RFC 9110 section 13.1.2). Any cache may store it but must
 * revalidate it each time, because it changes when services start or stop. Rate limits count by address.
 *
 * @throws RATE_LIMITED
 */
export async function sendShared(
  limit: RateLimiter,
  request: HttpRequest,
  response: HttpResponse,
  find: () => SharedDocument | Promise<SharedDocument>,
  more: AnswerHeaders = {},
): Promise<void> {
  applyRateLimit(response, await limitAddress(limit, clientNetwork(request)));
  const { bytes, type, etag } = await find();
  const headers = { ...more, ETag: `"${etag}"`, 'Cache-Control': 'public, no-cache' };
  // Proxies that compress an answer weaken its tag.
  if (matches(request.headers['if-none-match'] ?? '', etag, 'weak')) {
    endCoalesced(response.writeHead(304, headers));
    return;
  }
  endCoalesced(response.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': bytes.length }), bytes);
}
