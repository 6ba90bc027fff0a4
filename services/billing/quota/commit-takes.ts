import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { inputError } from '../../../lib/errors.ts';
import { runningQuota } from './running.ts';
import { receipt } from './shapes.ts';

const maxTakes = 500;
const commit = z.strictObject({
  receipt,
  /** The units that the work used; the rest is released. Default all. */
  charged: z.number().int().min(0).optional(),
});

/** `billing.quota.commit`: the work was done. The period of the take is charged. Idempotent. */
export const commitTakes = defineAction({
  summary: 'Commit reserved units',
  permission: 'internal',
  input: { body: z.strictObject({ takes: z.array(commit).min(1).max(maxTakes) }) },
  output: z.void(),
  async handler({ body: { takes } }) {
    const wrong = takes.findIndex((take) => (take.charged ?? 0) > take.receipt.amount);
    if (wrong >= 0)
      throw inputError([{ path: `body.takes.${wrong}.charged`, message: 'Must be at most the reserved amount.' }]);
    const quota = runningQuota();
    await Promise.all(takes.map(({ receipt: of, charged = of.amount }) => quota.commit({ receipt: of, charged })));
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.quota.commit': typeof commitTakes;
  }
}
