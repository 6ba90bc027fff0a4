import type { Context } from 'moleculer';
import type { Ctx } from '../../../lib/caller.ts';
import { apiError } from '../../../lib/errors.ts';
import { settings } from '../../../lib/settings.ts';
import { StripeCustomerModel } from '../../../models/billing/stripe-customer.ts';
import type { Effect } from '../../../models/billing/subscription.ts';
import { providerNamed } from '../payment/providers.ts';
import { find } from '../subscriptions/documents.ts';
import { dispatchEffects } from '../subscriptions/effects.ts';

/** The effects that need the organization's identity at the provider. */
const last: ReadonlySet<Effect['kind']> = new Set(['endAtProvider', 'refundAtProvider']);

/**
 * Has the provider delete an organization's identity, after its subscription has ended there and was refunded. A
 * failure keeps the identity here, so that the erasure is retried. Without a key nothing can be done there, and it is
 * reported to the operator.
 *
 * @throws UNAVAILABLE effects at the provider are still pending.
 */
export async function forgetAtProvider(ctx: Ctx, orgId: string): Promise<void> {
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
