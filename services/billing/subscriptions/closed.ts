import type { OfProvider, Subscription } from '../../../models/billing/subscription.ts';
import type { CheckoutCompleted, ProviderStateRead } from './events.ts';
import { changed, endings, remember, type Transition, unchanged } from './transition.ts';

/**
 * Refunds a payment for a deleted organization and ends the subscription at the provider. A purchase that was completed
 * before the deletion stays paid.
 */
export function refundPayments(subscription: Subscription, event: CheckoutCompleted, at: Date): Transition {
  const { checkoutId, provider, gatewaySubscriptionId, amount, currency } = event;
  const { checkouts } = subscription;
  if (checkouts.includes(checkoutId)) return unchanged(subscription);
  return changed(subscription, { checkouts: remember(checkouts, checkoutId), ...ended(subscription, event) }, at, [
    ...endings({ ...subscription, provider, gatewaySubscriptionId }, 'void'),
    { kind: 'refundAtProvider', provider, gatewaySubscriptionId, checkoutId, amount, currency },
  ]);
}

/** Ends a subscription that began for a deleted organization, before its payment completes. */
export function cancelOrphanedSubscription(subscription: Subscription, event: ProviderStateRead, at: Date): Transition {
  const { provider, gatewaySubscriptionId, state } = event;
  if (state.status === 'canceled' || subscription.endedIds.includes(gatewaySubscriptionId)) {
    return unchanged(subscription);
  }
  const effects = endings({ ...subscription, provider, gatewaySubscriptionId }, 'void');
  return changed(subscription, ended(subscription, event), at, effects);
}

/** Remembers the subscription's id, so that a later payment event is recognised as the organization's. */
function ended({ endedIds }: Subscription, { gatewaySubscriptionId }: OfProvider): Pick<Subscription, 'endedIds'> {
  const isKnown = endedIds.includes(gatewaySubscriptionId);
  return { endedIds: isKnown ? endedIds : remember(endedIds, gatewaySubscriptionId) };
}
