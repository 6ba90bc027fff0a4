import type { Context } from 'moleculer';
import type { RequestMeta } from '../../../lib/caller.ts';
import type { CheckoutDocument } from '../../../models/billing/checkout.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';
import { findOrgOf } from '../subscriptions/subscriptions.ts';
import { isRunning } from '../subscriptions/transition.ts';
import { applyEvents } from './apply-events.ts';
import { completeCheckout, endCheckout, findCheckout } from './checkouts/documents.ts';
import type { Tidings } from './provider.ts';

/**
 * Has count what a provider tells, for the checkout and the subscription that it is about; again, it changes nothing.
 *
 * @returns false when nobody is known for either.
 */
export async function applyTidings(
  ctx: Context<unknown, RequestMeta>,
  provider: string,
  tidings: Tidings,
): Promise<boolean> {
  if (tidings.events.length === 0 && !tidings.isCheckoutOver) return true;
  const checkout = await checkoutOf(provider, tidings);
  const orgId = checkout?.orgId ?? (await organizationOf(provider, tidings));
  if (orgId === null) return false;
  const subscription = await applyEvents(ctx, orgId, tidings.events);
  if (checkout) await settle(checkout, tidings, subscription);
  return true;
}

async function checkoutOf(provider: string, { checkoutId }: Tidings): Promise<CheckoutDocument | null> {
  const checkout = checkoutId === null ? null : await findCheckout(checkoutId);
  return checkout?.provider === provider ? checkout : null;
}

async function organizationOf(provider: string, { gatewaySubscriptionId }: Tidings): Promise<string | null> {
  return gatewaySubscriptionId === null ? null : await findOrgOf(provider, gatewaySubscriptionId);
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
