import type { Ctx } from '../../../../lib/caller.ts';
import type { CheckoutDocument } from '../../../../models/billing/checkout.ts';
import { completeWithoutProvider } from './complete.ts';
import { endCheckout } from './documents.ts';
import type { CheckoutOutcome } from './outcomes.ts';

/** An upgrade for which nothing is due counts as soon as it is confirmed: there is no payment to wait for. */
export async function confirmCovered(ctx: Ctx, checkout: CheckoutDocument): Promise<CheckoutOutcome> {
  if ((await completeWithoutProvider(ctx, checkout)) === 'had') return { outcome: 'done', url: checkout.successUrl };
  await endCheckout(checkout, 'closed');
  return { outcome: 'over' };
}
