import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { gaugeNames } from './meters.ts';
import { runningQuota } from './running.ts';
import { amount, key, orgId } from './shapes.ts';

/** `billing.quota.release`: counted units are gone for good, so that the gauge is lowered. The same key counts once. */
export const releaseGaugeAction = defineAction({
  summary: 'Release units of a gauge',
  permission: 'internal',
  input: { body: z.strictObject({ orgId, meter: z.enum(gaugeNames), amount, key }) },
  output: z.void(),
  handler: ({ body }) => runningQuota().releaseGauge(body.orgId, body.meter, body.amount, body.key),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.quota.release': typeof releaseGaugeAction;
  }
}
