import type { Context } from 'moleculer';
import type { RequestMeta } from '../../../lib/caller.ts';
import type { CheckoutDocument } from '../../../models/billing/checkout.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';
import { findHolder } from '../subscriptions/subscriptions.ts';
import { isRunning } from '../subscriptions/transition.ts';
import { type Applied, applyEvents } from './apply-events.ts';
import { completeCheckout, endCheckout, findCheckout } from './checkouts/documents.ts';
import { leaveToOperator } from './leave-to-operator.ts';
import type { PaymentEvent } from './provider.ts';

/**
 * `nobody` is known here that it is about, or it is `unknown` to its provider; it was about `nothing` that changes a
 * subscription, or about what `others` have there.
 */
export type Outcome = Applied | 'nobody' | 'unknown' | 'nothing' | 'others';

/** Each time one is repeated, the subscription has changed while its provider was asked. */
const maxAttempts = 10;

/** What is asked about, by the subscription's name there; null where the answer cannot be out of date. */
export type Question = { provider: string; subject: string | null };

/**
 * Has count what a provider answers. Whatever changes the subscription while it is asked, also on another node, has it
 * asked again, so that what was asked first does not count last.
 */
export async function askAndApply(
  ctx: Context<unknown, RequestMeta>,
  { provider, subject }: Question,
  ask: () => Promise<PaymentEvent | null>,
): Promise<Outcome> {
  for (let times = 0; times < maxAttempts; times += 1) {
    const holder = subject === null ? null : await findHolder(provider, subject);
    const paymentEvent = await ask();
    const outcome = paymentEvent ? await applyPaymentEvent(ctx, provider, paymentEvent) : 'nothing';
    if (typeof outcome === 'string' || subject === null) return outcome;
    // Before somebody had it nobody could be seen to change it, so that once is not enough.
    const isUnchanged = holder ? outcome.revision - outcome.changes === holder.revision : times > 0;
    if (isUnchanged) return outcome;
  }
  throw new Error(`The subscription of ${subject} changed each time that ${provider} was asked for it.`);
}

/** Has count what a provider tells, for the checkout and the subscription that it is about; again, it changes nothing. */
export async function applyPaymentEvent(
  ctx: Context<unknown, RequestMeta>,
  provider: string,
  paymentEvent: PaymentEvent,
): Promise<Outcome> {
  if (paymentEvent.isUnknown) return 'unknown';
  if (paymentEvent.isOfOthers) return 'others';
  if (paymentEvent.notGivenBack) leaveToOperator(ctx.broker.logger, paymentEvent.notGivenBack);
  if (paymentEvent.events.length === 0 && !paymentEvent.isCheckoutOver) return 'nothing';
  const checkout = await checkoutOf(provider, paymentEvent);
  const orgId = checkout?.orgId ?? (await organizationOf(provider, paymentEvent));
  if (orgId === null) return 'nobody';
  const applied = await applyEvents(ctx, orgId, paymentEvent.events);
  if (checkout) await settle(checkout, paymentEvent, applied?.subscription ?? null);
  return applied ?? 'nothing';
}

async function checkoutOf(provider: string, { checkoutId }: PaymentEvent): Promise<CheckoutDocument | null> {
  const checkout = checkoutId === null ? null : await findCheckout(checkoutId);
  return checkout?.provider === provider ? checkout : null;
}

async function organizationOf(provider: string, { gatewaySubscriptionId }: PaymentEvent): Promise<string | null> {
  const holder = gatewaySubscriptionId === null ? null : await findHolder(provider, gatewaySubscriptionId);
  return holder?.orgId ?? null;
}

/** A checkout that was paid after it had ended was paid all the same. */
async function settle(checkout: CheckoutDocument, paymentEvent: PaymentEvent, subscription: Subscription | null): Promise<void> {
  const isPaid = paymentEvent.events.some(
    (event) => event.kind === 'checkoutCompleted' && event.checkoutId === checkout._id,
  );
  if (isPaid || (checkout.isConfirmed && subscription && has(subscription, checkout))) {
    await completeCheckout(checkout);
  } else if (paymentEvent.isCheckoutOver) {
    await endCheckout(checkout, 'closed');
  }
}

/** A first payment that is under way has the terms already, and gives nothing. */
function has(subscription: Subscription, { terms }: CheckoutDocument): boolean {
  const { plan, billingCycle } = subscription;
  return plan === terms.plan && billingCycle === terms.billingCycle && isRunning(subscription);
}
