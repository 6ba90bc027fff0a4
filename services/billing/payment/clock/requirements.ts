import { apiError } from '../../../../lib/errors.ts';
import { settings } from '../../../../lib/settings.ts';
import { isSandboxActive } from '../choice.ts';

/** False when payments may be real, or when other nodes have separate clocks. */
export function isClockMovable(): boolean {
  return isSandboxActive() && !settings.NATS_URL && !settings.MONGO_URL;
}

/** Throws NOT_FOUND unless the clock can be moved. */
export function requireMovableClock(): void {
  if (isClockMovable()) return;
  throw apiError('NOT_FOUND', {
    message: 'The clock of billing can only be moved with the test provider, on one node with the embedded database.',
  });
}
