import { asApiError } from '../lib/database-errors.ts';
import { errorCode, isError } from '../lib/errors.ts';
import type { HttpRequest } from './exchange.ts';

/**
 * Whether an error is a server error of the gateway and must be logged. Actions log their own failures, and a client
 * may disconnect at any time. Node removes the socket of a request that it destroys.
 */
export function isServerError(error: unknown, { socket }: HttpRequest): boolean {
  const isGone = socket?.destroyed !== false;
  return !isGone && errorCode(error) === null && isError(asApiError(error), 'INTERNAL');
}
