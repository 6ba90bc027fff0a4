import type { PendingEffect, Subscription } from '../../../../models/billing/subscription.ts';
import { find } from '../../subscriptions/documents.ts';
import { termsOf } from '../../subscriptions/transition.ts';
import type { Change, PaymentProvider } from '../provider.ts';
import { providerNamed } from '../providers.ts';
import { withDispatchLease } from './dispatcher.ts';

/** A part of what is wanted of a subscription, and how its provider is told of that. */
type DesiredState = {
  of: (subscription: Subscription) => unknown;
  send: (provider: PaymentProvider, change: Change, subscription: Subscription) => Promise<void>;
};

type ProviderEffect = Extract<PendingEffect, { kind: 'cancelAtProvider' | 'resumeAtProvider' | 'changePlanAtProvider' }>;

/** Whether it ends with its period. Which effect was left to do does not matter: what is wanted now counts. */
export function reconcileEnd(_ctx: unknown, orgId: string, effect: ProviderEffect): Promise<void> {
  return reconcile(orgId, effect, {
    of: ({ cancelAtPeriodEnd }) => cancelAtPeriodEnd,
    send: (provider, change, { cancelAtPeriodEnd, cancelReason: reason }) =>
      cancelAtPeriodEnd ? provider.cancelAtPeriodEnd({ ...change, reason }) : provider.resume(change),
  });
}

/** With which plan it goes on after its period. */
export function reconcilePlan(_ctx: unknown, orgId: string, effect: ProviderEffect): Promise<void> {
  return reconcile(orgId, effect, {
    of: nextTermsOf,
    async send(provider, change, subscription) {
      const { currency } = subscription;
      if (currency) await provider.changePlan({ ...change, to: nextTermsOf(subscription), currency });
    },
  });
}

/**
 * Has the provider agree with what is wanted here now, and look again afterwards: somebody may have wanted something
 * else while it was told.
 */
async function reconcile(orgId: string, effect: ProviderEffect, desired: DesiredState): Promise<void> {
  const { id, gatewaySubscriptionId } = effect;
  const provider = await providerNamed(effect.provider);
  await withDispatchLease(orgId, async () => {
    const { subscription, revision } = await currentOf(orgId, gatewaySubscriptionId);
    // The same wish is the same call, also after a failure; one that comes up again later is another.
    const change = { key: `${id}:${revision}`, gatewaySubscriptionId };
    // What has ended here before the provider could be told ends there too.
    await (subscription ? desired.send(provider, change, subscription) : provider.end(change));
    const after = (await currentOf(orgId, gatewaySubscriptionId)).subscription;
    return JSON.stringify(after && desired.of(after)) === JSON.stringify(subscription && desired.of(subscription));
  });
}

const nextTermsOf = (subscription: Subscription) => termsOf(subscription.scheduled ?? subscription);

/** The organization's subscription, while it is the one that the provider knows by that name. */
async function currentOf(orgId: string, gatewaySubscriptionId: string) {
  const document = await find(orgId);
  const isCurrent = document?.subscription.gatewaySubscriptionId === gatewaySubscriptionId;
  return { subscription: isCurrent ? document.subscription : null, revision: document?.revision ?? 0 };
}
