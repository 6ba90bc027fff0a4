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
  handler: ({ body: { orgId: owner, meter, ...release } }) => runningQuota().releaseGauge(owner, meter, [release]),
});

const maxReleases = 500;

/** `billing.quota.release-many`: releases units of a gauge for several keys, in one update of its counter. */
export const releaseGaugeMany = defineAction({
  summary: 'Release units of a gauge by several keys',
  permission: 'internal',
  input: {
    body: z.strictObject({
      orgId,
      meter: z.enum(gaugeNames),
      releases: z.array(z.strictObject({ amount, key })).min(1).max(maxReleases),
    }),
  },
  output: z.void(),
  handler: ({ body: { orgId: owner, meter, releases } }) => runningQuota().releaseGauge(owner, meter, releases),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.quota.release': typeof releaseGaugeAction;
    'billing.quota.release-many': typeof releaseGaugeMany;
  }
}
