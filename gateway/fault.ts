import { asApiError } from '../lib/database-errors.ts';
import { errorCode, isError } from '../lib/errors.ts';
import type { GatewayRequest } from './exchange.ts';

/**
 * Whether an error tells of a fault here, to be logged: an action logs what fails in it, and a client may go away at any
 * time. Node takes the socket from a request that it destroys.
 */
export function isFault(error: unknown, { socket }: GatewayRequest): boolean {
  const isGone = socket?.destroyed !== false;
  return !isGone && errorCode(error) === null && isError(asApiError(error), 'INTERNAL');
}
