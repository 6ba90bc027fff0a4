import { type Content, html } from '../../../../../web/html.ts';

type Cycle = 'monthly' | 'yearly';

const adverbs: Record<Cycle, string> = { monthly: 'monthly', yearly: 'yearly' };
const cost = (price: string | null) => (price === null ? '' : ` for ${price}`);

/** The state of a subscription, and what follows from it. */
export const subscription = {
  paid: (cycle: Cycle) => `, paid ${adverbs[cycle]}`,
  /** Such as `EUR 49.00 a month`. */
  price: (money: string, cycle: Cycle) => `${money} ${cycle === 'monthly' ? 'a month' : 'a year'}`,
  tags: {
    active: null,
    trialing: 'Not paid yet',
    past_due: 'Payment failed',
    incomplete: 'Waiting for the payment',
    expired: 'Expired',
    canceled: 'Ended',
  },
  cancelledTag: 'Cancelled',
  cancelled: (plan: string, end: Content) => html`It is cancelled: you have ${plan} until ${end}, and
Free from then on. No further period is charged.`,
  paymentFailed: 'The last payment failed.',
  pastDue: (deadline: Content) =>
    html`The last payment failed. Everything works on${deadline && html` until ${deadline}`}; if it is not paid by then, nothing works any more but
paying and cancelling.`,
  expired: (deadline: Content) =>
    html`It was not paid, so nothing works until it is: pay for a plan below, or cancel and have Free at once.
${deadline && html`Otherwise you have Free from ${deadline} on.`}`,
  incomplete: (deadline: Content) =>
    html`The first payment is not complete: you have what Free includes until it arrives.
${deadline && html`It is given up on ${deadline}.`}`,
  ended: 'It has ended.',
  becomes: (plan: string, cycle: Cycle, end: Content, price: string | null) =>
    html`It becomes ${plan}, paid ${adverbs[cycle]}, on ${end}${cost(price)}.`,
  renews: (end: Content, price: string | null) => html`It renews on ${end}${cost(price)}.`,
  trialing: 'You can use it already; it is not paid for yet.',
  charging: 'The payment of this period is under way.',
  free: 'It costs nothing, and does not end.',
  given: 'Free of charge.',
  cancel: (plan: string) => `Cancel ${plan}…`,
  resume: (plan: string) => `Resume ${plan}`,
};
