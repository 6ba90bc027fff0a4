import type { Context } from 'moleculer';
import { day, fromNow } from '../../../../lib/clock.ts';
import { apiError, isError } from '../../../../lib/errors.ts';
import type { CheckoutDocument } from '../../../../models/billing/checkout.ts';
import type { PaymentProvider } from '../provider.ts';
import { providerNamed } from '../providers.ts';
import { endCheckout, updateOpen } from './documents.ts';
import { orderOf } from './opening.ts';
import type { CheckoutOutcome } from './outcomes.ts';

/** How long the provider may take to report the outcome. */
const patience = day;

/** Requests the provider to collect the difference. The plan takes effect once the provider reports the payment. */
export async function confirmUpgrade(
  ctx: Pick<Context, 'call' | 'broker'>,
  checkout: CheckoutDocument,
): Promise<CheckoutOutcome> {
  const { _id, gatewaySubscriptionId, successUrl } = checkout;
  if (gatewaySubscriptionId === null) throw new Error('An upgrade changes a subscription of the provider’s.');
  const order = await orderOf(ctx, checkout);
  const change = { key: `${_id}:upgrade`, gatewaySubscriptionId, order };
  const asked = await ask(ctx, checkout.provider, change);
  if (!asked) {
    await endCheckout(checkout, 'closed');
    return { outcome: 'over' };
  }
  await updateOpen(checkout, { isConfirmed: true, url: asked.url, expiresAt: fromNow(patience) });
  return { outcome: 'done', url: asked.url ?? successUrl };
}

/** Returns null when the subscription has ended. */
async function ask(
  { broker }: Pick<Context, 'broker'>,
  provider: string,
  change: Parameters<PaymentProvider['upgrade']>[0],
): Promise<{ url: string | null } | null> {
  try {
    const { upgrade } = await providerNamed(provider);
    return await upgrade(change);
  } catch (cause) {
    if (isError(cause, 'CONFLICT')) return null;
    broker.logger.error('Upgrade request to the payment provider failed', { key: change.key, error: cause });
    if (isError(cause, 'UNAVAILABLE')) throw cause;
    throw apiError('UNAVAILABLE', { cause, headers: { 'Retry-After': '5' } });
  }
}
