import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { isError } from '../../../lib/errors.ts';
import { idPattern } from '../../../lib/ids.ts';
import type { Entitlements } from '../../../models/billing/sold-version.ts';
import { entitlementsOutput } from '../plans/entitlements-output.ts';
import { type EntitlementsNow, entitlementsNow } from './entitlements-now.ts';

/** `billing.entitlements.describe`, for services: what an organization has now; null when it is gone or being deleted. */
export const describeEntitlements = defineAction({
  summary: "Describe what an organization's plan includes",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({ entitlements: entitlementsOutput.nullable() }),
  handler: async ({ body: { orgId }, ctx }) => ({ entitlements: await grantedTo(ctx, orgId) }),
});

async function grantedTo(ctx: Parameters<typeof entitlementsNow>[0], orgId: string): Promise<Entitlements | null> {
  const granted = await entitlementsNow(ctx, orgId).catch((error): EntitlementsNow | null => {
    if (isError(error, 'NOT_FOUND')) return null;
    throw error;
  });
  return granted === null || granted.status === 'canceled' ? null : granted.entitlements;
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.entitlements.describe': typeof describeEntitlements;
  }
}
