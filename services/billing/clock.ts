import { apiError } from '../../lib/contract/errors.ts';
import { now as realNow } from '../../lib/data/clock.ts';
import { settings } from '../../lib/settings/settings.ts';
import { TestClockModel } from '../../models/billing/test-clock.ts';
import { isSandboxActive } from './payment/choice.ts';

/**
 * The clock of billing: periods, due dates, quotas, invoice dates. It is the platform's, and can be moved ahead where
 * payments are only tested. Leases, and what expires for security such as links and signatures, use `lib/data/clock.ts`.
 */
let offsetMilliseconds = 0;

/** The current instant on billing's clock. */
export function now(): Date {
  return new Date(realNow().getTime() + offsetMilliseconds);
}

/** The instant `milliseconds` from now on billing's clock; negative for the past. */
export function fromNow(milliseconds: number): Date {
  return new Date(now().getTime() + milliseconds);
}

/** Milliseconds by which billing's clock is ahead of the platform's clock. */
export function clockOffset(): number {
  return offsetMilliseconds;
}

/** Sets the offset of billing's clock in this process; see `payment/clock/`. */
export function setClockOffset(milliseconds: number): void {
  offsetMilliseconds = milliseconds;
}

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

/** Sets the clock of billing ahead of the platform's, also after the next start. */
export async function storeClockOffset(offsetMilliseconds: number): Promise<void> {
  await TestClockModel.updateOne({ _id: 'clock' }, { $set: { offsetMilliseconds } }, { upsert: true });
  setClockOffset(offsetMilliseconds);
}

/** Restores the stored offset at the start of the service. Where the clock is not movable, the offset is 0. */
export async function loadClockOffset(): Promise<void> {
  const stored = isClockMovable() ? await TestClockModel.findById('clock').lean() : null;
  setClockOffset(stored?.offsetMilliseconds ?? 0);
}
