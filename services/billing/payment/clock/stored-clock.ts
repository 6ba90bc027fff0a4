import { TestClockModel } from '../../../../models/billing/test-clock.ts';
import { setClockOffset } from '../../clock.ts';
import { isClockMovable } from './requirements.ts';

/** Sets the clock of billing ahead of the platform's, also after the next start. */
export async function storeClockOffset(offsetMilliseconds: number): Promise<void> {
  await TestClockModel.updateOne({ _id: 'clock' }, { $set: { offsetMilliseconds } }, { upsert: true });
  setClockOffset(offsetMilliseconds);
}

/** For the start of the service: sets the clock as it was left. Where it may not be moved, it is the platform's. */
export async function loadClockOffset(): Promise<void> {
  const stored = isClockMovable() ? await TestClockModel.findById('clock').lean() : null;
  setClockOffset(stored?.offsetMilliseconds ?? 0);
}
