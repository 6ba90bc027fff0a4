import type { Subscription } from '../../../../models/billing/subscription.ts';
import { find } from '../../subscriptions/documents.ts';
import type { EffectHandler } from '../../subscriptions/effects.ts';
import { termsOf } from '../../subscriptions/transition.ts';
import { applyEvents } from '../apply-events.ts';
import { askAndApply } from '../apply-tidings.ts';
import { providerNamed } from '../providers.ts';
import { isStillOwed } from './invoicing.ts';

/** Asks for the payment of a period, as long as it is owed; what the provider answers at once counts at once. */
export const charge: EffectHandler<'charge'> = async (ctx, orgId, effect) => {
  if (!(await isStillOwed(orgId, effect))) return;
  const { id: key, gatewaySubscriptionId, period, amount, currency } = effect;
  const provider = await providerNamed(effect.provider);
  const outcome = await provider.charge({ key, orgId, gatewaySubscriptionId, period, amount, currency });
  if (outcome === 'paid') await applyEvents(ctx, orgId, [{ kind: 'renewed', gatewaySubscriptionId, period, amount }]);
  if (outcome === 'failed') await applyEvents(ctx, orgId, [{ kind: 'paymentFailed', gatewaySubscriptionId, period }]);
};

/** Asks what became of a subscription that the provider renews by itself. */
export const read: EffectHandler<'readProvider'> = async (ctx, _orgId, { provider: name, gatewaySubscriptionId }) => {
  const provider = await providerNamed(name);
  await askAndApply(ctx, { provider: name, subject: gatewaySubscriptionId }, () =>
    provider.read(gatewaySubscriptionId),
  );
};

/** What failed is tried again later, and may no longer be wanted then: what is wanted now counts. */
export const cancel: EffectHandler<'cancelAtProvider'> = async (_ctx, orgId, effect) => {
  const { id: key, gatewaySubscriptionId, reason } = effect;
  const provider = await providerNamed(effect.provider);
  const current = await currentOf(orgId, gatewaySubscriptionId);
  // It has ended here before the provider could be told: it ends there too.
  if (!current) return await provider.end({ key, gatewaySubscriptionId });
  if (current.cancelAtPeriodEnd) await provider.cancelAtPeriodEnd({ key, gatewaySubscriptionId, reason });
};

export const resume: EffectHandler<'resumeAtProvider'> = async (_ctx, orgId, effect) => {
  const { id: key, gatewaySubscriptionId } = effect;
  const current = await currentOf(orgId, gatewaySubscriptionId);
  if (!current || current.cancelAtPeriodEnd) return;
  const provider = await providerNamed(effect.provider);
  await provider.resume({ key, gatewaySubscriptionId });
};

export const changePlan: EffectHandler<'changePlanAtProvider'> = async (_ctx, orgId, effect) => {
  const { id: key, gatewaySubscriptionId } = effect;
  const current = await currentOf(orgId, gatewaySubscriptionId);
  if (!current?.currency) return;
  const provider = await providerNamed(effect.provider);
  const to = termsOf(current.scheduled ?? current);
  await provider.changePlan({ key, gatewaySubscriptionId, to, currency: current.currency });
};

export const end: EffectHandler<'endAtProvider'> = async (
  _ctx,
  _orgId,
  { id: key, gatewaySubscriptionId, provider },
) => {
  await (await providerNamed(provider)).end({ key, gatewaySubscriptionId });
};

/** The organization's subscription, while it is the one that the provider knows by that name. */
async function currentOf(orgId: string, gatewaySubscriptionId: string): Promise<Subscription | null> {
  const subscription = (await find(orgId))?.subscription;
  return subscription?.gatewaySubscriptionId === gatewaySubscriptionId ? subscription : null;
}
