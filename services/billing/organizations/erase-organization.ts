import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { idPattern } from '../../../lib/ids.ts';
import { eraseUsageHistory } from '../periods/retention.ts';
import { eraseQuotas } from '../quota/erase.ts';
import { endSubscription } from './close-organization.ts';
import { forgetAtProvider } from './forget-at-provider.ts';

const maxBatchSize = 10_000;

/**
 * `billing.organizations.erase`, for the deletion of an organization: ends its subscription and removes its usage and
 * its identity at the provider, there and here. Its invoices stay, as the law requires. Its ended subscription and
 * checkouts stay too, so that a late payment event is recognised and refunded. Works in bounded parts: call it until it
 * is complete.
 */
export const eraseOrganization = defineAction({
  summary: 'Erase the usage of a deleted organization',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  errors: ['UNAVAILABLE', 'CONFLICT'],
  async handler({ body: { orgId }, ctx }) {
    // A deleted organization must not be charged.
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
