import { type Content, html } from '../../../../../web/html.ts';
import { plans } from './plans.ts';

type Cycle = 'monthly' | 'yearly';

const cost = (price: string | null) => (price === null ? '' : ` for ${price}`);

/** The state of a subscription, and what follows from it. */
export const subscription = {
  paid: (cycle: Cycle) => `, paid ${cycle}`,
  /** Such as `EUR 49.00 a month`. */
  price: (money: string, cycle: Cycle) => `${money} ${plans.per[cycle]}`,
  tags: {
    active: null,
    trialing: 'Not paid yet',
    past_due: 'Payment failed',
    incomplete: 'Waiting for payment',
    expired: 'Expired',
    canceled: 'Ended',
  },
  cancelledTag: 'Cancelled',
  cancelled: (plan: string, end: Content) => html`Cancelled. You keep ${plan} until ${end} and
move to Free after that. You will not be charged again.`,
  paymentFailed: 'The last payment failed.',
  pastDue: (deadline: Content) =>
    html`The last payment failed. Your plan keeps working${deadline && html` until ${deadline}`}. After that, you can
only pay or cancel.`,
  expired: (deadline: Content) =>
    html`Your plan is suspended because it was not paid. Pay for a plan below, or cancel to move to Free immediately.
${deadline && html`Otherwise you move to Free on ${deadline}.`}`,
  incomplete: (deadline: Content) =>
    html`The first payment is not complete. You have what Free includes until it arrives.
${deadline && html`The payment expires on ${deadline}.`}`,
  ended: 'This plan has ended.',
  becomes: (plan: string, cycle: Cycle, end: Content, price: string | null) =>
    html`Changes to ${plan}, paid ${cycle}, on ${end}${cost(price)}.`,
  renews: (end: Content, price: string | null) => html`Renews on ${end}${cost(price)}.`,
  trialing: 'You can use your plan now. The payment is still due.',
  charging: 'The payment for this period is being processed.',
  free: 'Free, with no end date.',
  given: 'Free of charge.',
  cancel: (plan: string) => `Cancel ${plan}…`,
  resume: (plan: string) => `Resume ${plan}`,
};
