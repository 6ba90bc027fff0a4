import { TestClockModel } from '../../../../models/billing/test-clock.ts';
import { setClockOffset } from '../../clock.ts';
import { isClockMovable } from './requirements.ts';

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
