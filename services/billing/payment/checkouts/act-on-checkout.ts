import { z } from 'zod';
import { defineAction } from '../../../../lib/action.ts';
import { confirmChange } from './confirm-change.ts';
import { confirmCovered } from './confirm-covered.ts';
import { confirmUpgrade } from './confirm-upgrade.ts';
import { checkoutLinkParams, resolveCheckoutLink } from './links.ts';
import { cancelCheckout } from './opening.ts';
import { type CheckoutOutcome, checkoutOutcome } from './outcomes.ts';
import { payOnPage, testActs } from './pay-on-page.ts';
import { isQuoteCurrent } from './price-right.ts';
import { pageOf, statusOf } from './show-checkout.ts';

/** The payer's choices on the platform's page of a checkout. */
const checkoutActs = ['confirm', 'abandon', ...testActs] as const;

/** `billing.checkouts.act`, for the page of a checkout: carries out the payer's choice. */
export const actOnCheckout = defineAction({
  summary: 'Do what a payer wants on the page of a checkout',
  permission: 'internal',
  input: { body: checkoutLinkParams.extend({ act: z.enum(checkoutActs) }) },
  output: checkoutOutcome,
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handler({ body: { act, ...link }, ctx }): Promise<CheckoutOutcome> {
    const checkout = await resolveCheckoutLink(link);
    if (statusOf(checkout) !== 'open') return { outcome: 'over' };
    // The checkout stays open, so that the payer can return to it.
    if (act === 'abandon') return { outcome: 'done', url: checkout.cancelUrl };
    if (!(await isQuoteCurrent(ctx, checkout))) {
      await cancelCheckout(checkout, 'closed');
      return { outcome: 'over' };
    }
    const page = pageOf(checkout);
    if (page === 'test' && act !== 'confirm') return await payOnPage(ctx, checkout, act);
    if (page === 'covered' && act === 'confirm') return await confirmCovered(ctx, checkout);
    if (page === 'change' && act === 'confirm') return await confirmChange(ctx, checkout);
    if (page === 'upgrade' && act === 'confirm') return await confirmUpgrade(ctx, checkout);
    return { outcome: 'over' };
  },
});

declare module '../../../../lib/calls.ts' {
  interface Calls {
    'billing.checkouts.act': typeof actOnCheckout;
  }
}
