import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { cancelCheckout, checkoutLinkParams, resolveCheckoutLink } from './checkouts.ts';
import {
  type CheckoutOutcome,
  checkoutOutcome,
  confirmChange,
  confirmCovered,
  confirmUpgrade,
  payOnPage,
  testActs,
} from './pay-on-page.ts';
import { isQuoteCurrent } from './quotes.ts';
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
