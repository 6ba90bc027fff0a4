import type { PendingEffect, Subscription } from '../../../../models/billing/subscription.ts';
import { find } from '../../subscriptions/documents.ts';
import { termsOf } from '../../subscriptions/transition.ts';
import type { Change, PaymentProvider } from '../provider.ts';
import { providerNamed } from '../providers.ts';
import { withDispatchLease } from './dispatcher.ts';

/** A part of a subscription's desired state, and the call that sends it to the provider. */
type DesiredState = {
  of: (subscription: Subscription) => unknown;
  send: (provider: PaymentProvider, change: Change, subscription: Subscription) => Promise<void>;
};

type ProviderEffect = Extract<
  PendingEffect,
  { kind: 'cancelAtProvider' | 'resumeAtProvider' | 'changePlanAtProvider' }
>;

/**
 * Reconciles whether the subscription ends with its period. The effect is only a trigger: the present state is sent.
 */
export function reconcileEnd(_ctx: unknown, orgId: string, effect: ProviderEffect): Promise<void> {
  return reconcile(orgId, effect, {
    of: ({ cancelAtPeriodEnd }) => cancelAtPeriodEnd,
    send: (provider, change, { cancelAtPeriodEnd, cancelReason: reason }) =>
      cancelAtPeriodEnd ? provider.cancelAtPeriodEnd({ ...change, reason }) : provider.resume(change),
  });
}

/** Reconciles the plan of the next period. */
export function reconcilePlan(_ctx: unknown, orgId: string, effect: ProviderEffect): Promise<void> {
  return reconcile(orgId, effect, {
    of: nextTermsOf,
    async send(provider, change, subscription) {
      const { currency } = subscription;
      if (currency) await provider.changePlan({ ...change, to: nextTermsOf(subscription), currency });
    },
  });
}

/** Sends the desired state to the provider, then reads it again: it may have changed during the call. */
async function reconcile(orgId: string, effect: ProviderEffect, desired: DesiredState): Promise<void> {
  const { id, gatewaySubscriptionId } = effect;
  const provider = await providerNamed(effect.provider);
  await withDispatchLease(orgId, async () => {
    const { subscription, revision } = await currentOf(orgId, gatewaySubscriptionId);
    // A retry of one state has the same key. The same state at a later revision is a new call.
    const change = { key: `${id}:${revision}`, gatewaySubscriptionId };
    // If the subscription has ended here, end it at the provider.
    await (subscription ? desired.send(provider, change, subscription) : provider.end(change));
    const after = (await currentOf(orgId, gatewaySubscriptionId)).subscription;
    return JSON.stringify(after && desired.of(after)) === JSON.stringify(subscription && desired.of(subscription));
  });
}

const nextTermsOf = (subscription: Subscription) => termsOf(subscription.scheduled ?? subscription);

/** The organization's subscription; null when its present one has another id at the provider. */
async function currentOf(orgId: string, gatewaySubscriptionId: string) {
  const document = await find(orgId);
  const isCurrent = document?.subscription.gatewaySubscriptionId === gatewaySubscriptionId;
  return { subscription: isCurrent ? document.subscription : null, revision: document?.revision ?? 0 };
}
