import type { EffectHandler } from '../../subscriptions/effects.ts';
import { applyEvents } from '../apply-events.ts';
import { fetchAndApply } from '../apply-payment-event.ts';
import { flagForOperator } from '../leave-to-operator.ts';
import { providerNamed } from '../providers.ts';
import { isStillOwed } from './invoicing.ts';

/** Charges a period while it is owed. An outcome in the answer is applied immediately. */
export const charge: EffectHandler<'charge'> = async (ctx, orgId, effect) => {
  if (!(await isStillOwed(orgId, effect))) return;
  const { id: key, gatewaySubscriptionId, period, amount, currency } = effect;
  const provider = await providerNamed(effect.provider);
  const outcome = await provider.charge({ key, orgId, gatewaySubscriptionId, period, amount, currency });
  if (outcome === 'paid') await applyEvents(ctx, orgId, [{ kind: 'renewed', gatewaySubscriptionId, period, amount }]);
  if (outcome === 'failed') await applyEvents(ctx, orgId, [{ kind: 'paymentFailed', gatewaySubscriptionId, period }]);
};

/** Reads the state of a subscription that the provider renews by itself. */
export const read: EffectHandler<'readProvider'> = async (ctx, orgId, { provider: name, gatewaySubscriptionId }) => {
  const provider = await providerNamed(name);
  const outcome = await fetchAndApply(ctx, { provider: name, subject: gatewaySubscriptionId }, () =>
    provider.read(gatewaySubscriptionId),
  );
  if (outcome !== 'unknown') return;
  ctx.broker.logger.warn('Subscription unknown to its provider', { orgId, provider: name, gatewaySubscriptionId });
};

export const end: EffectHandler<'endAtProvider'> = async (
  _ctx,
  _orgId,
  { id: key, gatewaySubscriptionId, provider },
) => {
  await (await providerNamed(provider)).end({ key, gatewaySubscriptionId });
};

/** Refunds a payment that bought nothing. Where the provider cannot refund, it is reported to the operator. */
export const refund: EffectHandler<'refundAtProvider'> = async ({ broker: { logger } }, orgId, effect) => {
  const { id: key, provider: name, gatewaySubscriptionId, checkoutId, amount, currency } = effect;
  const provider = await providerNamed(name);
  const outcome = await provider.refund?.({ key, orgId, gatewaySubscriptionId, checkoutId });
  const ids = { orgId, provider: provider.name, gatewaySubscriptionId, checkoutId };
  if (outcome === 'refunded') logger.warn('Refunded a payment for a deleted organization', ids);
  else flagForOperator(logger, { ...ids, amount, currency });
};
