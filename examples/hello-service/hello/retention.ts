import { fromNow } from 'platform/service';
import { GreetingModel } from './greeting.ts';

const keptMilliseconds = 30 * 24 * 60 * 60 * 1000;

/** Once a day in the whole pool. It is a sweep over all organizations, and has to say so. */
export async function removeOldGreetings(): Promise<void> {
  await GreetingModel.deleteMany({ createdAt: { $lt: fromNow(-keptMilliseconds) } }, { acrossTenants: true });
}
