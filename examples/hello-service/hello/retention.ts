import { fromNow } from 'platform/service';
import { GreetingModel } from './greeting.ts';

const keptMilliseconds = 30 * 24 * 60 * 60 * 1000;

/** Runs once a day in the whole cluster. It deletes across all organizations, which it must declare. */
export async function removeOldGreetings(): Promise<void> {
  await GreetingModel.deleteMany({ createdAt: { $lt: fromNow(-keptMilliseconds) } }, { acrossTenants: true });
}
