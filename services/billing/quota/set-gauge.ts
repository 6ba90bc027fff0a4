import type { Context } from 'moleculer';
import { Counter } from 'prom-client';
import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { gaugeNames } from './meters.ts';
import { runningQuota } from './running.ts';
import { orgId } from './shapes.ts';

const drifts = new Counter({
  name: 'billing_gauge_drifts_total',
  help: 'Gauges that differed from what their owner counted.',
  labelNames: ['meter'],
});

/**
 * `billing.quota.set-gauge`: sets a gauge to its owner's count. With `revision`, read before the count, the outcome is
 * `changed` when units were taken or settled during the count: count again. `drift` is the corrected difference.
 */
export const setGaugeAction = defineAction({
  summary: "Set a gauge to its owner's count",
  permission: 'internal',
  input: {
    body: z.strictObject({
      orgId,
      meter: z.enum(gaugeNames),
      value: z.number().int().min(0),
      revision: z.number().int().min(0).optional(),
    }),
  },
  output: z.strictObject({ outcome: z.enum(['set', 'changed']), drift: z.number() }),
  async handler({ body, ctx }) {
    const { outcome, ...rest } = await runningQuota().setGauge(body.orgId, body.meter, body.value, body.revision);
    const drift = 'drift' in rest ? rest.drift : 0;
    reportDrift(ctx, { orgId: body.orgId, meter: body.meter, drift });
    return { outcome, drift };
  },
});

/** Counts and logs that a gauge differed from what its owner counted. */
export function reportDrift({ broker }: Pick<Context, 'broker'>, about: Drift): void {
  if (about.drift === 0) return;
  drifts.inc({ meter: about.meter });
  broker.logger.warn('Corrected the drift of a gauge', about);
}

type Drift = { orgId: string; meter: string; drift: number };

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.quota.set-gauge': typeof setGaugeAction;
  }
}
