import type { OfProvider, Subscription } from '../../../models/billing/subscription.ts';
import type { CheckoutCompleted, ProviderStateRead } from './events.ts';
import { changed, endings, remember, type Transition, unchanged } from './transition.ts';

/**
 * What was paid for an organization that is gone is had by nobody: it ends at the provider, and the payment is given
 * back. What was bought and had before the organization went stays paid.
 */
export function giveBack(subscription: Subscription, event: CheckoutCompleted, at: Date): Transition {
  const { checkoutId, provider, gatewaySubscriptionId, amount, currency } = event;
  const { checkouts } = subscription;
  if (checkouts.includes(checkoutId)) return unchanged(subscription);
  return changed(subscription, { checkouts: remember(checkouts, checkoutId), ...ended(subscription, event) }, at, [
    ...endings({ ...subscription, provider, gatewaySubscriptionId }, 'void'),
    { kind: 'refundAtProvider', provider, gatewaySubscriptionId, checkoutId, amount, currency },
  ]);
}

/** What began for an organization that is gone ends before it is paid, where a payment takes its time. */
export function endUnwanted(subscription: Subscription, event: ProviderStateRead, at: Date): Transition {
  const { provider, gatewaySubscriptionId, state } = event;
  if (state.status === 'canceled' || subscription.endedIds.includes(gatewaySubscriptionId)) {
    return unchanged(subscription);
  }
  const effects = endings({ ...subscription, provider, gatewaySubscriptionId }, 'void');
  return changed(subscription, ended(subscription, event), at, effects);
}

/** What is told of it later is known to be the organization's. */
function ended({ endedIds }: Subscription, { gatewaySubscriptionId }: OfProvider): Pick<Subscription, 'endedIds'> {
  const isKnown = endedIds.includes(gatewaySubscriptionId);
  return { endedIds: isKnown ? endedIds : remember(endedIds, gatewaySubscriptionId) };
}
