import type { ServerResponse } from 'node:http';
import { longestCall } from '../lib/calls.ts';
import { fail } from '../lib/errors.ts';
import type { GatewayRequest } from './exchange.ts';
import { setHeaders } from './headers.ts';
import { sendError } from './render-error.ts';

const pauseBetweenLooks = 500;

/**
 * Answers 503 where what a request asked for has taken longer than a call may, counted from when the request was there
 * whole. One look at all of them costs less than a timer for each. Gives the function that ends it.
 */
export function giveUpWhatTakesTooLong(answering: Set<ServerResponse>): () => void {
  const looks = setInterval(() => {
    const now = performance.now();
    for (const response of answering) giveUpIfLate(response, now);
  }, pauseBetweenLooks);
  looks.unref();
  return () => clearInterval(looks);
}

function giveUpIfLate(response: ServerResponse, now: number): void {
  const request = response.req as GatewayRequest;
  if (!request.complete || response.headersSent) return;
  request.completeSince ??= now;
  if (now - request.completeSince < longestCall) return;
  request.isGivenUp = true;
  setHeaders(request, response);
  sendError(response, fail('UNAVAILABLE'), request.requestId);
}
