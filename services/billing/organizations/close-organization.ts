import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { isError } from '../../../lib/errors.ts';
import { idPattern } from '../../../lib/ids.ts';
import { findOpen } from '../payment/checkouts/documents.ts';
import { cancelOrDefer } from '../payment/checkouts/opening.ts';
import { changeSubscription } from '../subscriptions/subscriptions.ts';

/**
 * `billing.organizations.close`, for the deletion of an organization: ends its subscription immediately and
 * permanently, here and at the provider, and its open checkout. Its invoices are kept. Idempotent.
 */
export const closeOrganization = defineAction({
  summary: 'End the subscription of an organization that is deleted',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({}),
  errors: ['CONFLICT'],
  async handler({ body: { orgId }, ctx }) {
    await endSubscription(ctx, orgId);
    return {};
  },
});

export async function endSubscription(ctx: Ctx, orgId: string): Promise<void> {
  await changeSubscription(ctx, orgId, () => ({ kind: 'organizationClosed' })).catch((error) => {
    // The organization never had a subscription, and can no longer get one.
    if (!isError(error, 'NOT_FOUND')) throw error;
  });
  const checkout = await findOpen(orgId);
  if (checkout) await cancelOrDefer(checkout, 'closed');
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.organizations.close': typeof closeOrganization;
  }
}
