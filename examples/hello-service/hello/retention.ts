import { fromNow } from 'platform/service';
import { GreetingModel } from './greeting.ts';
import { helloSettings } from './settings.ts';

const day = 24 * 60 * 60 * 1000;

/** Runs once a day in the whole cluster. It deletes across all organizations, which it must declare. */
export async function removeOldGreetings(): Promise<void> {
  const oldest = fromNow(-helloSettings.HELLO_KEPT_DAYS * day);
  await GreetingModel.deleteMany({ createdAt: { $lt: oldest } }, { acrossTenants: true });
}
