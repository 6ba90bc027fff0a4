import type { OutgoingHttpHeaders } from 'node:http';
import { renderError } from '../lib/render-error.ts';
import { endCoalesced } from './end-response.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';

/** Sends an error to the client. Errors outside the catalogue are never sent. */
export function sendError(response: HttpResponse, error: unknown, requestId: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = renderError(error, requestId);
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
