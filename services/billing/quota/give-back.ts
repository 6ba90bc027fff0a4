import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { timestamp } from '../../../lib/instant.ts';
import { meterNames, meters } from './meters.ts';
import { runningQuota } from './running.ts';
import { amount, key, orgId } from './shapes.ts';

const periodic = meterNames.filter((meter) => meters[meter].kind !== 'gauge') as [
  (typeof meterNames)[number],
  ...typeof meterNames,
];

/**
 * `billing.quota.give-back`: units that were charged for work that then failed through the platform's fault. `chargedAt`
 * is in the period that was charged; a period that is archived stays as it is. The same key counts once.
 */
export const refundUnits = defineAction({
  summary: 'Refund charged units of failed work',
  permission: 'internal',
  input: { body: z.strictObject({ orgId, meter: z.enum(periodic), amount, key, chargedAt: timestamp }) },
  output: z.void(),
  async handler({ body: { orgId: of, meter, amount: units, key: name, chargedAt } }) {
    await runningQuota().refundUnits(of, meter, new Date(chargedAt), units, name);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.quota.give-back': typeof refundUnits;
  }
}
