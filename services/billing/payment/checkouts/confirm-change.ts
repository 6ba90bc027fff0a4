import type { Ctx } from '../../../../lib/caller.ts';
import { isError } from '../../../../lib/errors.ts';
import type { CheckoutDocument } from '../../../../models/billing/checkout.ts';
import type { Subscription } from '../../../../models/billing/subscription.ts';
import { changeSubscription } from '../../subscriptions/subscriptions.ts';
import { termsOf } from '../../subscriptions/transition.ts';
import { recordChange } from '../apply-events.ts';
import { completeCheckout, endCheckout } from './documents.ts';
import type { CheckoutOutcome } from './outcomes.ts';
import { quoteFor } from './quotes.ts';

/**
 * Schedules the confirmed change for the next period, unless the subscription has changed so that it no longer applies.
 */
export async function confirmChange(ctx: Ctx, checkout: CheckoutDocument): Promise<CheckoutOutcome> {
  const { orgId, terms } = checkout;
  const changed = await changeSubscription(ctx, orgId, (subscription, at) =>
    isStillChange(subscription, checkout, at) ? { kind: 'planScheduled', to: terms } : null,
  );
  if (!hasOrWillHave(changed.subscription, checkout)) {
    await endCheckout(checkout, 'closed');
    return { outcome: 'over' };
  }
  await recordChange(ctx, orgId, changed);
  await completeCheckout(checkout);
  return { outcome: 'done', url: checkout.successUrl };
}

function isStillChange(subscription: Subscription, { terms, currency, provider }: CheckoutDocument, at: Date): boolean {
  try {
    return quoteFor(subscription, { ...terms, currency }, provider, at).kind === 'change';
  } catch (error) {
    // It was confirmed before, or came about in another way.
    if (isError(error, 'PLAN_IS_CURRENT') || isError(error, 'INPUT_INVALID')) return false;
    throw error;
  }
}

function hasOrWillHave(subscription: Subscription, { terms }: CheckoutDocument): boolean {
  const { plan, billingCycle } = termsOf(subscription.scheduled ?? subscription);
  return plan === terms.plan && billingCycle === terms.billingCycle;
}
