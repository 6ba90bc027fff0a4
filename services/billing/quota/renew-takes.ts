import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { runningQuota } from './running.ts';
import { receipt } from './shapes.ts';

const maxTakes = 500;

/**
 * `billing.quota.renew`: the work of these takes is still in progress. Renews their leases; `held` is false for one
 * that has ended, or was released because its lease had expired.
 */
export const renewTakes = defineAction({
  summary: 'Renew the leases of reservations',
  permission: 'internal',
  input: { body: z.strictObject({ takes: z.array(receipt).min(1).max(maxTakes) }) },
  output: z.strictObject({ held: z.array(z.boolean()) }),
  async handler({ body: { takes } }) {
    const quota = runningQuota();
    return { held: await Promise.all(takes.map((take) => quota.renew(take))) };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.quota.renew': typeof renewTakes;
  }
}
