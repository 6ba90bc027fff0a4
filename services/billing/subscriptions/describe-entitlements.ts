import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { idPattern } from '../../../lib/ids.ts';
import { entitlementsOutput } from '../plans/entitlements-output.ts';
import { cachedEntitlements } from './entitlements-now.ts';

/**
 * `billing.entitlements.describe`, for services: an organization's entitlements; null when it is deleted or being
 * deleted.
 */
export const describeEntitlements = defineAction({
  summary: "Describe what an organization's plan includes",
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({ entitlements: entitlementsOutput.nullable() }),
  async handler({ body: { orgId }, ctx }) {
    const granted = await cachedEntitlements(ctx, orgId);
    return { entitlements: granted?.entitlements ?? null };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.entitlements.describe': typeof describeEntitlements;
  }
}
