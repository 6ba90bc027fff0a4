import type { ServerResponse } from 'node:http';
import { callTimeout } from '../lib/calls.ts';
import { fail } from '../lib/errors.ts';
import type { GatewayRequest } from './exchange.ts';
import { setHeaders } from './headers.ts';
import { sendError } from './render-error.ts';

const sweepInterval = 500;

/**
 * Answers 503 to requests in flight that have run for longer than {@link callTimeout}. The time that a client takes to
 * send its body does not count. One sweep over all of them costs less than a timer for each. Returns a function that
 * stops the sweeps.
 */
export function enforceRequestTimeout(answering: Set<ServerResponse>): () => void {
  const sweeps = setInterval(() => {
    const now = performance.now();
    for (const response of answering) endIfTimedOut(response, now);
  }, sweepInterval);
  sweeps.unref();
  return () => clearInterval(sweeps);
}

function endIfTimedOut(response: ServerResponse, now: number): void {
  const request = response.req as GatewayRequest;
  if (!request.complete || response.headersSent) return;
  request.receivedAt ??= now;
  if (now - request.receivedAt < callTimeout) return;
  request.hasTimedOut = true;
  setHeaders(request, response);
  sendError(response, fail('UNAVAILABLE'), request.requestId);
}
