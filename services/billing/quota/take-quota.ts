import { Counter } from 'prom-client';
import { defineAction } from '../../../lib/action.ts';
import { runningQuota } from './running.ts';
import { takeInput, takeOutput, toGrantResponse, toTakeInput } from './shapes.ts';

const takes = new Counter({
  name: 'billing_quota_takes_total',
  help: 'Takes of quota, by meter and outcome.',
  labelNames: ['meter', 'outcome'],
});

/**
 * `billing.quota.take`: reserves units for work that is about to be done, if the plan leaves as many. The same key
 * again gives the same answer and counts once. A reservation that is neither committed nor refunded expires after five
 * minutes, and the sweep asks its owner.
 */
export const takeQuota = defineAction({
  summary: 'Reserve units of a quota',
  permission: 'internal',
  input: { body: takeInput },
  output: takeOutput,
  async handler({ body }) {
    const grant = await runningQuota().take(toTakeInput(body));
    countTake(body.meter, grant.outcome);
    return { ...toGrantResponse(grant), used: grant.used ?? 0 };
  },
});

export function countTake(meter: string, outcome: string): void {
  takes.inc({ meter, outcome });
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.quota.take': typeof takeQuota;
  }
}
