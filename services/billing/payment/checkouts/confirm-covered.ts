import type { Ctx } from '../../../../lib/caller.ts';
import type { CheckoutDocument } from '../../../../models/billing/checkout.ts';
import { completeWithoutProvider } from './complete.ts';
import { endCheckout } from './documents.ts';
import type { CheckoutOutcome } from './outcomes.ts';

/** Applies a confirmed upgrade with nothing due immediately, because no payment follows. */
export async function confirmCovered(ctx: Ctx, checkout: CheckoutDocument): Promise<CheckoutOutcome> {
  if ((await completeWithoutProvider(ctx, checkout)) === 'had') return { outcome: 'done', url: checkout.successUrl };
  await endCheckout(checkout, 'closed');
  return { outcome: 'over' };
}
