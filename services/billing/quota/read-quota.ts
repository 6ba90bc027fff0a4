import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { entitlementsNow } from '../subscriptions/entitlements-now.ts';
import { limitIn, unitsOf } from './limits.ts';
import { meterNames } from './meters.ts';
import { runningQuota } from './running.ts';
import { meter, orgId, period, toPeriodResponse } from './shapes.ts';

const reading = z.strictObject({
  meter,
  used: z.number(),
  /** The part of `used` in open reservations. */
  reserved: z.number(),
  /** In units; null: not included. */
  limit: z.number().nullable(),
  period,
  revision: z.number(),
});

/** `billing.quota.read`: the usage and limits of meters in the present period. */
export const readQuota = defineAction({
  summary: 'Read the usage of quotas',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId, meters: z.array(meter).optional() }) },
  output: z.strictObject({ meters: z.array(reading) }),
  async handler({ body, ctx }) {
    const { entitlements } = await entitlementsNow(ctx, body.orgId);
    const quota = runningQuota();
    const readings = (body.meters ?? meterNames).map(async (name) => {
      const { counter, ...rest } = await quota.read(body.orgId, name);
      const limit = limitIn(entitlements, name);
      return {
        meter: name,
        ...rest,
        limit: limit === null ? null : unitsOf(limit, name),
        period: toPeriodResponse(counter),
      };
    });
    return { meters: await Promise.all(readings) };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.quota.read': typeof readQuota;
  }
}
