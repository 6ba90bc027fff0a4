import type { ServerResponse } from 'node:http';
import { callTimeout } from '../lib/calls.ts';
import { apiError } from '../lib/errors.ts';
import type { HttpRequest } from './exchange.ts';
import { setHeaders } from './headers.ts';
import { sendError } from './send-error.ts';

const sweepInterval = 500;
/** The timeout of a transfer without progress while the platform waits for the client. */
export const idleTimeout = 60_000;
/** The minimum average rate of a transfer, counted from its start, and the time before it applies. */
export const minBytesPerSecond = 1024;
export const graceMilliseconds = 30_000;

/**
 * The progress of one direction of an exchange. Time in which the platform itself delays the transfer does not count:
 * `since` and `movedAt` advance with it.
 */
export type Progress = { base: number; bytes: number; since: number; movedAt: number; sweptAt: number };

/**
 * Watches the exchanges in flight. A handler that takes too long is answered 503; a client that sends or reads too
 * slowly is disconnected, a sender with 408 if no answer was sent yet. One sweep over all of them costs less than a
 * timer for each. Returns a function that stops the sweeps.
 */
export function watchTransfers(inFlight: Iterable<ServerResponse>): () => void {
  const sweeps = setInterval(() => {
    const now = performance.now();
    for (const response of inFlight) check(response.req as HttpRequest, response, now);
  }, sweepInterval);
  sweeps.unref();
  return () => clearInterval(sweeps);
}

function check(request: HttpRequest, response: ServerResponse, now: number): void {
  // It was answered already, and its handler ends on its own.
  if (request.hasTimedOut) return;
  if (!request.complete) {
    if (isTooSlow(uploadOf(request, now), now)) end(request, response, tooSlow());
  } else if (!response.headersSent) {
    request.receivedAt ??= now;
    const limit = request.contract?.handlerTimeout ?? callTimeout;
    if (limit > 0 && now - request.receivedAt >= limit) end(request, response, apiError('UNAVAILABLE'));
  }
  if (response.headersSent && isTooSlow(downloadOf(request, response, now), now)) response.destroy();
}

const tooSlow = (): Error => apiError('REQUEST_TIMEOUT', { headers: { Connection: 'close' } });

function uploadOf(request: HttpRequest, now: number): Progress {
  const bytesRead = request.socket?.bytesRead ?? 0;
  // Unread data means that the handler is slower than the client.
  const isWaiting = request.readableLength === 0 && request.readableFlowing !== false;
  request.upload = advance(request.upload, bytesRead, isWaiting, now);
  return request.upload;
}

function downloadOf(request: HttpRequest, response: ServerResponse, now: number): Progress {
  const { socket } = response;
  const queued = response.writableLength;
  // `bytesWritten` includes the bytes that are still queued in this process.
  const dispatched = Math.max(0, (socket?.bytesWritten ?? 0) - queued);
  request.download = advance(request.download, dispatched, queued > 0, now);
  return request.download;
}

/** Updates the progress at `now` to `total` bytes; `isWaiting`: the platform waits for the client. */
export function advance(former: Progress | undefined, total: number, isWaiting: boolean, now: number): Progress {
  if (!former) return { base: total, bytes: 0, since: now, movedAt: now, sweptAt: now };
  const bytes = total - former.base;
  const held = isWaiting ? 0 : now - former.sweptAt;
  const hasMoved = bytes > former.bytes || !isWaiting;
  return {
    base: former.base,
    bytes,
    since: former.since + held,
    movedAt: hasMoved ? now : former.movedAt,
    sweptAt: now,
  };
}

export function isTooSlow({ bytes, since, movedAt }: Progress, now: number): boolean {
  if (now - movedAt >= idleTimeout) return true;
  const milliseconds = now - since;
  return milliseconds >= graceMilliseconds && bytes < (minBytesPerSecond * milliseconds) / 1000;
}

function end(request: HttpRequest, response: ServerResponse, error: Error): void {
  request.hasTimedOut = true;
  setHeaders(request, response);
  sendError(response, error, request.requestId);
}
