import type { OutgoingHttpHeaders } from 'node:http';
import { flushOncePerTick } from '../lib/concurrency/batcher.ts';
import type { Exposure } from '../lib/contract/contract.ts';
import { errorCode } from '../lib/contract/errors.ts';
import { renderError } from '../lib/contract/render-error.ts';
import { settings } from '../lib/settings/settings.ts';
import type { AnswerHeaders, HttpRequest, HttpResponse } from './request.ts';

/** Bounds the latency that batching adds to an answer. */
const maxBatchSize = 64;

type Ending = { response: HttpResponse; content: string | Buffer | undefined };

const end = flushOncePerTick<Ending>((endings) => {
  for (const { response, content } of endings) response.end(content);
}, maxBatchSize);

/**
 * Ends a response whose head is written, together with all others of this turn of the event loop. A write to a sleeping
 * client takes longer than producing the answer, because the system has to wake it, and a proxy on the same machine
 * sleeps again before the next answer is ready. Batched answers wake it once.
 */
export function endCoalesced(response: HttpResponse, content?: string | Buffer): void {
  end({ response, content });
}

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

/** Sends an error to the client. Errors outside the catalogue are never sent. */
export function sendError(request: HttpRequest, response: HttpResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = renderError(error, request.requestId);
  request.answeredError = body;
  const text = JSON.stringify(body);
  endEarly(
    response,
    status,
    {
      ...headers,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
    },
    text,
  );
}

/** The maximum unread body that is read and dropped so that its connection can be reused. */
const maxDroppedBytes = 256 * 1024;
const lingerMilliseconds = 1000;

/**
 * Ends a response, perhaps before its request has arrived. A client that is still sending would lose the answer with
 * the connection, so the end waits until it stops, for a second at most.
 */
export function endEarly(response: HttpResponse, status: number, headers: OutgoingHttpHeaders, text: string): void {
  const request = response.req as HttpRequest;
  if (request.complete || (headers.Connection !== 'close' && !isMuchUnread(request))) {
    endCoalesced(response.writeHead(status, headers), text);
    return;
  }
  response.writeHead(status, { ...headers, Connection: 'close' }).write(text);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMilliseconds);
  // Further data is dropped instead of passed to a reader that is slow or gone.
  request.unpipe();
  request.once('end', end).once('close', end).resume();
}

/**
 * Whether much of the body is unread. A client that waits for `100 Continue` may or may not send it after another
 * answer.
 */
function isMuchUnread({ headers, allowBody }: HttpRequest): boolean {
  if (allowBody || headers['transfer-encoding'] !== undefined) return true;
  return Number(headers['content-length'] ?? 0) > maxDroppedBytes;
}
