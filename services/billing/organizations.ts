import type { Context } from 'moleculer';
import { z } from 'zod';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError, isError } from '../../lib/contract/errors.ts';
import { idPattern } from '../../lib/data/ids.ts';
import { settings } from '../../lib/settings/settings.ts';
import { StripeCustomerModel } from '../../models/billing/stripe-customer.ts';
import type { Effect } from '../../models/billing/subscription.ts';
import { cancelOrDefer, findOpen } from './checkouts/checkouts.ts';
import { providerNamed } from './payment/providers.ts';
import { eraseQuotas } from './quota/quota.ts';
import { find } from './subscriptions/documents.ts';
import { dispatchEffects } from './subscriptions/effects.ts';
import { changeSubscription } from './subscriptions/subscriptions.ts';
import { eraseUsageHistory } from './usage/archive.ts';

/** The effects that need the organization's identity at the provider. */
const last: ReadonlySet<Effect['kind']> = new Set(['endAtProvider', 'refundAtProvider']);

/**
 * Has the provider delete an organization's identity, after its subscription has ended there and was refunded. A
 * failure keeps the identity here, so that the erasure is retried. Without a key nothing can be done there, and it is
 * reported to the operator.
 *
 * @throws UNAVAILABLE effects at the provider are still pending.
 */
async function forgetAtProvider(ctx: Ctx, orgId: string): Promise<void> {
  const customer = await StripeCustomerModel.findOne({ _id: orgId, orgId }, { customerId: 1 }).lean();
  if (!customer) return;
  if (!settings.STRIPE_SECRET_KEY) return await flagForOperator(ctx, orgId, customer.customerId);
  await dispatchEffects(ctx, orgId);
  if ((await find(orgId))?.effects.some(({ kind }) => last.has(kind))) {
    throw apiError('UNAVAILABLE', { message: 'The subscription could not be ended at its provider yet.' });
  }
  await (await providerNamed('stripe')).forget?.(orgId);
}

async function flagForOperator({ broker: { logger } }: Context, orgId: string, customerId: string): Promise<void> {
  logger.error('A customer must be deleted at Stripe manually: STRIPE_SECRET_KEY is not set', { orgId, customerId });
  await StripeCustomerModel.deleteOne({ _id: orgId, orgId });
}

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

async function endSubscription(ctx: Ctx, orgId: string): Promise<void> {
  await changeSubscription(ctx, orgId, () => ({ kind: 'organizationClosed' })).catch((error) => {
    // The organization never had a subscription, and can no longer get one.
    if (!isError(error, 'NOT_FOUND')) throw error;
  });
  const checkout = await findOpen(orgId);
  if (checkout) await cancelOrDefer(checkout, 'closed');
}

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
