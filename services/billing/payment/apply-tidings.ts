import type { Context } from 'moleculer';
import type { RequestMeta } from '../../../lib/caller.ts';
import type { CheckoutDocument } from '../../../models/billing/checkout.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';
import { findHolder } from '../subscriptions/subscriptions.ts';
import { isRunning } from '../subscriptions/transition.ts';
import { type Applied, applyEvents } from './apply-events.ts';
import { completeCheckout, endCheckout, findCheckout } from './checkouts/documents.ts';
import { leaveToOperator } from './leave-to-operator.ts';
import type { Tidings } from './provider.ts';

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
  ask: () => Promise<Tidings | null>,
): Promise<Outcome> {
  for (let times = 0; times < maxAttempts; times += 1) {
    const holder = subject === null ? null : await findHolder(provider, subject);
    const tidings = await ask();
    const outcome = tidings ? await applyTidings(ctx, provider, tidings) : 'nothing';
    if (typeof outcome === 'string' || subject === null) return outcome;
    // Before somebody had it nobody could be seen to change it, so that once is not enough.
    const isUnchanged = holder ? outcome.revision - outcome.changes === holder.revision : times > 0;
    if (isUnchanged) return outcome;
  }
  throw new Error(`The subscription of ${subject} changed each time that ${provider} was asked for it.`);
}

/** Has count what a provider tells, for the checkout and the subscription that it is about; again, it changes nothing. */
export async function applyTidings(
  ctx: Context<unknown, RequestMeta>,
  provider: string,
  tidings: Tidings,
): Promise<Outcome> {
  if (tidings.isUnknown) return 'unknown';
  if (tidings.isOfOthers) return 'others';
  if (tidings.notGivenBack) leaveToOperator(ctx.broker.logger, tidings.notGivenBack);
  if (tidings.events.length === 0 && !tidings.isCheckoutOver) return 'nothing';
  const checkout = await checkoutOf(provider, tidings);
  const orgId = checkout?.orgId ?? (await organizationOf(provider, tidings));
  if (orgId === null) return 'nobody';
  const applied = await applyEvents(ctx, orgId, tidings.events);
  if (checkout) await settle(checkout, tidings, applied?.subscription ?? null);
  return applied ?? 'nothing';
}

async function checkoutOf(provider: string, { checkoutId }: Tidings): Promise<CheckoutDocument | null> {
  const checkout = checkoutId === null ? null : await findCheckout(checkoutId);
  return checkout?.provider === provider ? checkout : null;
}

async function organizationOf(provider: string, { gatewaySubscriptionId }: Tidings): Promise<string | null> {
  const holder = gatewaySubscriptionId === null ? null : await findHolder(provider, gatewaySubscriptionId);
  return holder?.orgId ?? null;
}

/** A checkout that was paid after it had ended was paid all the same. */
async function settle(checkout: CheckoutDocument, tidings: Tidings, subscription: Subscription | null): Promise<void> {
  const isPaid = tidings.events.some(
    (event) => event.kind === 'checkoutCompleted' && event.checkoutId === checkout._id,
  );
  if (isPaid || (checkout.isConfirmed && subscription && has(subscription, checkout))) {
    await completeCheckout(checkout);
  } else if (tidings.isCheckoutOver) {
    await endCheckout(checkout, 'closed');
  }
}

/** A first payment that is under way has the terms already, and gives nothing. */
function has(subscription: Subscription, { terms }: CheckoutDocument): boolean {
  const { plan, billingCycle } = subscription;
  return plan === terms.plan && billingCycle === terms.billingCycle && isRunning(subscription);
}
