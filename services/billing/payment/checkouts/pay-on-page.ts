import type { Ctx } from '../../../../lib/caller.ts';
import type { CheckoutDocument } from '../../../../models/billing/checkout.ts';
import { deliverWebhook } from '../test/deliver.ts';
import { payCheckout } from '../test/payments.ts';
import { paymentOf } from '../test/provider.ts';
import { updateOpen } from './documents.ts';
import type { CheckoutOutcome } from './outcomes.ts';

/**
 * The choices of the test provider's payer: approved, approved with a card that declines renewals, declined, or
 * challenged by the bank; and then the outcome of the challenge.
 */
export const testActs = ['approve', 'approve-once', 'decline', 'challenge', 'complete', 'fail'] as const;
export type TestAct = (typeof testActs)[number];

/** Applies the payer's choice to a payment at the test provider. */
export async function payOnPage(ctx: Ctx, checkout: CheckoutDocument, act: TestAct): Promise<CheckoutOutcome> {
  const isOfBank = act === 'complete' || act === 'fail';
  if (isOfBank !== checkout.isChallenged) return { outcome: 'over' };
  switch (act) {
    case 'decline':
      return { outcome: 'declined' };
    case 'challenge':
      return (await updateOpen(checkout, { isChallenged: true })) ? { outcome: 'challenged' } : { outcome: 'over' };
    case 'fail':
      return (await updateOpen(checkout, { isChallenged: false })) ? { outcome: 'failed' } : { outcome: 'over' };
    default:
      return await pay(ctx, checkout, act === 'approve-once');
  }
}

/** The plan counts once the webhook is received. The sweep sends the webhook if this call does not. */
async function pay(ctx: Ctx, checkout: CheckoutDocument, declinesRenewals: boolean): Promise<CheckoutOutcome> {
  const { _id: checkoutId, orgId } = checkout;
  const payment = paymentOf({ ...checkout, checkoutId });
  if (!(await payCheckout({ orgId, payment, declinesRenewals }))) return { outcome: 'over' };
  await deliverWebhook(ctx, checkoutId);
  return { outcome: 'done', url: checkout.successUrl };
}
