import type { Context } from 'moleculer';
import mongoose from 'mongoose';
import type { RequestMeta } from '../../lib/caller.ts';
import { sharedPlatform } from './shared-platform.ts';
import { databaseUrlOf } from './tenants.ts';

type Ctx = Context<unknown, RequestMeta>;

/** What a sweep needs of a broker when nobody listens: gateways find changes out within a second by themselves. */
const ctx = {
  broadcast: () => Promise.resolve(),
  call: () => Promise.resolve(),
  meta: {},
  broker: { logger: { warn: () => undefined } },
} as unknown as Ctx;

/** Runs a sweep on the shared platform's database, in place of the platform, whose schedule would take a minute. */
export async function sweepNow(sweep: (ctx: Ctx) => Promise<unknown>): Promise<void> {
  const url = await databaseUrlOf(await sharedPlatform());
  await mongoose.connect(url, { dbName: 'platform', autoIndex: false, autoCreate: false });
  try {
    await sweep(ctx);
  } finally {
    await mongoose.disconnect();
  }
}
