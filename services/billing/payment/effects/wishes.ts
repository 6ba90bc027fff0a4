import type { PendingEffect, Subscription } from '../../../../models/billing/subscription.ts';
import { find } from '../../subscriptions/documents.ts';
import { termsOf } from '../../subscriptions/transition.ts';
import type { Change, PaymentProvider } from '../provider.ts';
import { providerNamed } from '../providers.ts';
import { asOnlyTeller } from './teller.ts';

/** A part of what is wanted of a subscription, and how its provider is told of that. */
type Wish = {
  of: (subscription: Subscription) => unknown;
  tell: (provider: PaymentProvider, change: Change, subscription: Subscription) => Promise<void>;
};

type Telling = Extract<PendingEffect, { kind: 'cancelAtProvider' | 'resumeAtProvider' | 'changePlanAtProvider' }>;

/** Whether it ends with its period. Which effect was left to do does not matter: what is wanted now counts. */
export function tellOfEnd(_ctx: unknown, orgId: string, effect: Telling): Promise<void> {
  return agree(orgId, effect, {
    of: ({ cancelAtPeriodEnd }) => cancelAtPeriodEnd,
    tell: (provider, change, { cancelAtPeriodEnd, cancelReason: reason }) =>
      cancelAtPeriodEnd ? provider.cancelAtPeriodEnd({ ...change, reason }) : provider.resume(change),
  });
}

/** With which plan it goes on after its period. */
export function tellOfPlan(_ctx: unknown, orgId: string, effect: Telling): Promise<void> {
  return agree(orgId, effect, {
    of: nextTermsOf,
    async tell(provider, change, subscription) {
      const { currency } = subscription;
      if (currency) await provider.changePlan({ ...change, to: nextTermsOf(subscription), currency });
    },
  });
}

/**
 * Has the provider agree with what is wanted here now, and look again afterwards: somebody may have wanted something
 * else while it was told.
 */
async function agree(orgId: string, effect: Telling, wish: Wish): Promise<void> {
  const { id, gatewaySubscriptionId } = effect;
  const provider = await providerNamed(effect.provider);
  await asOnlyTeller(orgId, async () => {
    const { subscription, revision } = await currentOf(orgId, gatewaySubscriptionId);
    // The same wish is the same call, also after a failure; one that comes up again later is another.
    const change = { key: `${id}:${revision}`, gatewaySubscriptionId };
    // What has ended here before the provider could be told ends there too.
    await (subscription ? wish.tell(provider, change, subscription) : provider.end(change));
    const after = (await currentOf(orgId, gatewaySubscriptionId)).subscription;
    return JSON.stringify(after && wish.of(after)) === JSON.stringify(subscription && wish.of(subscription));
  });
}

const nextTermsOf = (subscription: Subscription) => termsOf(subscription.scheduled ?? subscription);

/** The organization's subscription, while it is the one that the provider knows by that name. */
async function currentOf(orgId: string, gatewaySubscriptionId: string) {
  const document = await find(orgId);
  const isCurrent = document?.subscription.gatewaySubscriptionId === gatewaySubscriptionId;
  return { subscription: isCurrent ? document.subscription : null, revision: document?.revision ?? 0 };
}
