import { ServiceBroker, type ServiceSchema } from 'moleculer';
import mongoose from 'mongoose';
import type { PlanLimits } from '../../../lib/clients/plan-limits.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import access from '../../../services/access/access.service.ts';
import { limitsService } from '../../support/limits-service.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { databaseUrlOf } from '../../support/tenants.ts';

/**
 * Runs a sweep on the shared platform's database, in place of the platform, whose schedule would take a minute. It is
 * run beside an access service of its own, so that the platform learns of changes as from a node it has lost: by itself.
 */
export async function sweepNow(sweep: (ctx: Ctx) => Promise<unknown>, limits?: PlanLimits): Promise<void> {
  const url = await databaseUrlOf(await sharedPlatform());
  await mongoose.connect(url, { dbName: 'platform', autoIndex: false, autoCreate: false });
  const broker = new ServiceBroker({ logger: false });
  // Connected already, and without a schedule.
  broker.createService({ ...access, mixins: [] } as ServiceSchema);
  broker.createService(limitsService(limits));
  await broker.start();
  const ctx = {
    broadcast: () => Promise.resolve(),
    // Nobody keeps a log of what is done here.
    call: (name: string, params: object) =>
      name.startsWith('access.') ? broker.call(name, params) : Promise.resolve(),
    meta: {},
    broker,
  } as unknown as Ctx;
  try {
    await sweep(ctx);
  } finally {
    await broker.stop();
    await mongoose.disconnect();
  }
}
