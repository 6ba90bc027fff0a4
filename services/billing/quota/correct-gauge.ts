import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { reportDrift } from './quota.actions.ts';
import { runningQuota } from './quota.ts';
import { amount, gaugeNames, key, orgId } from './shapes.ts';

const gauge = { orgId, meter: z.enum(gaugeNames) };

/**
 * `billing.quota.read-gauge`: a gauge with its open reservations at one instant, for an owner that counts its work in
 * parts while units are taken and released. `used` includes the open reservations.
 */
export const readGauge = defineAction({
  summary: 'Read a gauge with its open reservations',
  permission: 'internal',
  input: { body: z.strictObject(gauge) },
  output: z.strictObject({
    used: z.number(),
    revision: z.number(),
    open: z.array(z.strictObject({ key, amount: amount.or(z.literal(0)) })),
  }),
  async handler({ body }) {
    const { used, revision, open } = await runningQuota().readGauge(body.orgId, body.meter);
    return { used, revision, open: open.map(({ key: name, amount: units }) => ({ key: name, amount: units })) };
  },
});

/** `billing.quota.correct-gauge`: adds a correction to a gauge. Takes and releases since the count are kept. */
export const correctGauge = defineAction({
  summary: 'Correct the drift of a gauge',
  permission: 'internal',
  input: { body: z.strictObject({ ...gauge, by: z.number().int() }) },
  output: z.strictObject({}),
  async handler({ body: { orgId: owner, meter, by }, ctx }) {
    await runningQuota().correctGauge(owner, meter, by);
    reportDrift(ctx, { orgId: owner, meter, drift: by });
    return {};
  },
});
