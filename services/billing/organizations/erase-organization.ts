import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { idPattern } from '../../../lib/ids.ts';
import { eraseUsageHistory } from '../periods/retention.ts';
import { eraseQuotas } from '../quota/erase.ts';
import { endSubscription } from './close-organization.ts';
import { forgetAtProvider } from './forget-at-provider.ts';

const maxBatchSize = 10_000;

/**
 * `billing.organizations.erase`, for the deletion of an organization: ends its subscription, removes what it used, and who it was
 * at a provider, there and here. Its invoices stay, as the law wants, and its ended subscription and checkouts, so that
 * what a provider tells late is known to be over and given back. In bounded parts: to be called until it is complete.
 */
export const eraseOrganization = defineAction({
  summary: 'Erase what an organization that is deleted used',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  errors: ['UNAVAILABLE', 'CONFLICT'],
  async handler({ body: { orgId }, ctx }) {
    // Nobody is charged for an organization that is gone.
    await endSubscription(ctx, orgId);
    let removed = await eraseQuotas(orgId, maxBatchSize);
    removed += await eraseUsageHistory(orgId, maxBatchSize);
    const isComplete = removed < maxBatchSize;
    if (isComplete) await forgetAtProvider(ctx, orgId);
    return { isComplete };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'billing.organizations.erase': typeof eraseOrganization;
  }
}
