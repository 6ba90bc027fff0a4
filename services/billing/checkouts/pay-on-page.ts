import { z } from 'zod';
import type { BrokerContext, CallContext, Ctx } from '../../../lib/contract/context.ts';
import { apiError, isError } from '../../../lib/contract/errors.ts';
import { day, fromNow } from '../../../lib/data/clock.ts';
import type { CheckoutDocument } from '../../../models/billing/checkout.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';
import { recordChange } from '../payment/apply-payment-event.ts';
import { type PaymentProvider, subscriptionIdFor } from '../payment/provider.ts';
import { providerNamed } from '../payment/providers.ts';
import { deliverWebhook, payCheckout, paymentOf } from '../payment/sandbox.ts';
import { changeSubscription } from '../subscriptions/subscriptions.ts';
import { type CheckoutCompleted, termsOf } from '../subscriptions/transition.ts';
import { completeCheckout, endCheckout, orderOf, updateOpen } from './checkouts.ts';
import { isQuotedFrom, quoteFor } from './quotes.ts';

/** The event of a paid checkout whose account the platform itself keeps. */
export function completionOf(checkout: CheckoutDocument): CheckoutCompleted {
  const { _id: checkoutId, terms, provider, currency, amount } = checkout;
  const gatewaySubscriptionId = checkout.gatewaySubscriptionId ?? subscriptionIdFor(checkoutId);
  const paid = { provider, gatewaySubscriptionId, collection: 'platform' as const, currency, amount, period: null };
  return { kind: 'checkoutCompleted', checkoutId, terms, ...paid };
}

/**
 * `had`: the checkout counts, now or since before. `changed`: the subscription that the price was computed from has
 * changed, and nothing was applied. `gone`: the organization is deleted, and the payment is to be refunded.
 */
type Completion = 'had' | 'changed' | 'gone';

/** Completes a checkout that needs no provider call. */
export async function completeWithoutProvider(ctx: Ctx, checkout: CheckoutDocument): Promise<Completion> {
  const { _id, orgId } = checkout;
  const changed = await changeSubscription(ctx, orgId, (current) =>
    isQuotedFrom(checkout, current) ? completionOf(checkout) : null,
  );
  const { subscription } = changed;
  if (subscription.status === 'canceled') return 'gone';
  if (!subscription.checkouts.includes(_id)) return 'changed';
  await recordChange(ctx, orgId, changed);
  await completeCheckout(checkout);
  return 'had';
}

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

/** Applies a confirmed upgrade with nothing due immediately, because no payment follows. */
export async function confirmCovered(ctx: Ctx, checkout: CheckoutDocument): Promise<CheckoutOutcome> {
  if ((await completeWithoutProvider(ctx, checkout)) === 'had') return { outcome: 'done', url: checkout.successUrl };
  await endCheckout(checkout, 'closed');
  return { outcome: 'over' };
}

/** How long the provider may take to report the outcome. */
const patience = day;

/** Requests the provider to collect the difference. The plan takes effect once the provider reports the payment. */
export async function confirmUpgrade(
  ctx: CallContext & BrokerContext,
  checkout: CheckoutDocument,
): Promise<CheckoutOutcome> {
  const { _id, gatewaySubscriptionId, successUrl } = checkout;
  if (gatewaySubscriptionId === null) throw new Error('An upgrade changes a subscription of the provider’s.');
  const order = await orderOf(ctx, checkout);
  const change = { key: `${_id}:upgrade`, gatewaySubscriptionId, order };
  const answer = await ask(ctx, checkout.provider, change);
  if (!answer) {
    await endCheckout(checkout, 'closed');
    return { outcome: 'over' };
  }
  await updateOpen(checkout, { isConfirmed: true, url: answer.url, expiresAt: fromNow(patience) });
  return { outcome: 'done', url: answer.url ?? successUrl };
}

/** Returns null when the subscription has ended. */
async function ask(
  { broker }: BrokerContext,
  provider: string,
  change: Parameters<PaymentProvider['upgrade']>[0],
): Promise<{ url: string | null } | null> {
  try {
    const { upgrade } = await providerNamed(provider);
    return await upgrade(change);
  } catch (cause) {
    if (isError(cause, 'CONFLICT')) return null;
    broker.logger.error('Upgrade request to the payment provider failed', { key: change.key, error: cause });
    if (isError(cause, 'UNAVAILABLE')) throw cause;
    throw apiError('UNAVAILABLE', { cause, headers: { 'Retry-After': '5' } });
  }
}

/**
 * The outcome of a payer's choice on the page of a checkout. `done`: redirect to `url`. `declined`, `failed`: nothing
 * was paid, and the payer may retry. `challenged`: the bank requires authentication. `over`: the checkout has ended.
 */
export const checkoutOutcome = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('done'), url: z.string() }),
  z.strictObject({ outcome: z.enum(['declined', 'failed', 'challenged', 'over']) }),
]);

export type CheckoutOutcome = z.output<typeof checkoutOutcome>;

/**
 * The choices of the test provider's payer: approved, approved with a card that declines renewals, declined, or
 * challenged by the bank; and then the outcome of the challenge.
 */
export const testActs = ['approve', 'approve-once', 'decline', 'challenge', 'complete', 'fail'] as const;
type TestAct = (typeof testActs)[number];

/** Applies the payer's choice to a payment at the test provider. */
export async function payOnPage(ctx: Ctx, checkout: CheckoutDocument, act: TestAct): Promise<CheckoutOutcome> {
  const isOfBank = act === 'complete' || act === 'fail';
  if (isOfBank !== checkout.isChallenged) return { outcome: 'over' };
  switch (act) {
    case 'decline':
      return { outcome: 'declined' };
    case 'challenge':
      return (await updateOpen(checkout, { isChallenged: true })) ? { outcome: 'challenged' } : { outcome: 'over' };
    case 'fail':
      return (await updateOpen(checkout, { isChallenged: false })) ? { outcome: 'failed' } : { outcome: 'over' };
    default:
      return await pay(ctx, checkout, act === 'approve-once');
  }
}

/** The plan counts once the webhook is received. The sweep sends the webhook if this call does not. */
async function pay(ctx: Ctx, checkout: CheckoutDocument, declinesRenewals: boolean): Promise<CheckoutOutcome> {
  const { _id: checkoutId, orgId } = checkout;
  const payment = paymentOf({ ...checkout, checkoutId });
  if (!(await payCheckout({ orgId, payment, declinesRenewals }))) return { outcome: 'over' };
  await deliverWebhook(ctx, checkoutId);
  return { outcome: 'done', url: checkout.successUrl };
}
