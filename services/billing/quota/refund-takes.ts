import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { runningQuota } from './running.ts';
import { receipt } from './shapes.ts';

const maxTakes = 500;

/** `billing.quota.refund`: the work was not and will not be done. Without effect after a commit. Idempotent. */
export const refundTakes = defineAction({
  summary: 'Release reserved units',
  permission: 'internal',
  input: { body: z.strictObject({ takes: z.array(receipt).min(1).max(maxTakes) }) },
  output: z.void(),
  async handler({ body: { takes } }) {
    const quota = runningQuota();
    await Promise.all(takes.map((take) => quota.refund(take)));
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.quota.refund': typeof refundTakes;
  }
}
