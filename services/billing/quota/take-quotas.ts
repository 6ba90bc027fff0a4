import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { runningQuota } from './running.ts';
import { takeInput, takeOutputOfMany, toGrantResponse, toTakeInput } from './shapes.ts';
import { countTake } from './take-quota.ts';

const nothing = { taken: 0, limit: null, period: null, receipt: null, isFresh: false };
const maxTakes = 500;

/**
 * `billing.quota.take-many`: the concurrent takes of a node as one batch, each with a separate outcome, in order. A key
 * that was charged before may be reserved again during its work; it is charged once.
 */
export const takeQuotas = defineAction({
  summary: 'Reserve units of several quotas',
  permission: 'internal',
  input: { body: z.strictObject({ takes: z.array(takeInput).min(1).max(maxTakes) }) },
  output: z.strictObject({ takes: z.array(takeOutputOfMany) }),
  async handler({ body, ctx }) {
    const quota = runningQuota();
    const results = await Promise.allSettled(
      body.takes.map((take) => quota.take({ ...toTakeInput(take), wantsUsed: false })),
    );
    const takes = results.map((result, index) => {
      const grant =
        result.status === 'fulfilled' ? toGrantResponse(result.value) : { outcome: 'unavailable' as const, ...nothing };
      if (result.status === 'rejected') ctx.broker.logger.warn('Quota reservation failed', { error: result.reason });
      countTake(body.takes[index]?.meter ?? '', grant.outcome);
      return grant;
    });
    return { takes };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.quota.take-many': typeof takeQuotas;
  }
}
