import type { CallOutput } from '../../../../lib/calls.ts';
import { formatMoney } from '../../../../lib/money.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Html, html } from '../../../../web/html.ts';
import { showTime } from '../../../../web/time.ts';
import { billingPath, cancelPath, withOrganization } from './paths.ts';

export type Subscription = CallOutput<'billing.subscription.describe'>;
export type BillingCycle = Subscription['billingCycle'];

/** The data of the page's forms; null for users who may not change the plan. */
export type ChangeForm = { orgId: string; flow: string };

const tags: Record<Subscription['status'], string | null> = {
  active: null,
  trialing: 'Not paid yet',
  past_due: 'Payment failed',
  incomplete: 'Waiting for the payment',
  expired: 'Expired',
  canceled: 'Ended',
};

const cycles: Record<BillingCycle, { adverb: string; per: string }> = {
  monthly: { adverb: 'monthly', per: 'a month' },
  yearly: { adverb: 'yearly', per: 'a year' },
};

/** The organization's plan, its next change, and the buttons to cancel or resume. */
export function showSubscription(subscription: Subscription, form: ChangeForm | null): Html {
  const { title, status, billingCycle, currency, cancelAtPeriodEnd } = subscription;
  const tag = cancelAtPeriodEnd ? 'Cancelled' : tags[status];
  return html`<p><strong>${title}</strong>${currency && `, paid ${cycles[billingCycle].adverb}`}${tag && html` <span class="tag">${tag}</span>`}</p>
${describe(subscription).map((sentence) => html`<p>${sentence}</p>`)}
${form && showActs(subscription, form)}`;
}

/** A price for display, such as `EUR 49.00 a month`. */
export function priceInWords(amount: number, currency: string, billingCycle: BillingCycle): string {
  return `${formatMoney(amount, currency)} ${cycles[billingCycle].per}`;
}

export function adverbOf(billingCycle: BillingCycle): string {
  return cycles[billingCycle].adverb;
}

/** Whether the subscription can be cancelled. */
export function isCancellable({ plan, status, cancelAtPeriodEnd }: Subscription): boolean {
  return plan !== 'free' && status !== 'canceled' && !cancelAtPeriodEnd;
}

function describe(subscription: Subscription): (Html | string)[] {
  const { title, status, deadline, endsAt, cancelAtPeriodEnd } = subscription;
  const canceled = html`It is cancelled: you have ${title} until ${showTime(endsAt ?? subscription.currentPeriodEnd)}, and
Free from then on. No further period is charged.`;
  switch (status) {
    case 'past_due':
      if (cancelAtPeriodEnd) return ['The last payment failed.', canceled];
      return [
        html`The last payment failed. Everything works on${deadline && html` until ${showTime(deadline)}`}; if it is not paid by then, nothing works any more but
paying and cancelling.`,
      ];
    case 'expired':
      return [
        html`It was not paid, so nothing works until it is: pay for a plan below, or cancel and have Free at once.
${deadline && html`Otherwise you have Free from ${showTime(deadline)} on.`}`,
      ];
    case 'incomplete':
      return [
        html`The first payment is not complete: you have what Free includes until it arrives.
${deadline && html`It is given up on ${showTime(deadline)}.`}`,
      ];
    case 'canceled':
      return ['It has ended.'];
    case 'active':
    case 'trialing':
      return cancelAtPeriodEnd ? [canceled] : goingOn(subscription);
  }
}

function goingOn({ plan, status, currency, price, billingCycle, currentPeriodEnd, scheduled, deadline }: Subscription) {
  const end = showTime(currentPeriodEnd);
  const next = scheduled?.billingCycle ?? billingCycle;
  const cost = currency && price !== null ? ` for ${priceInWords(price, currency, next)}` : '';
  const renewal = scheduled
    ? html`It becomes ${scheduled.title}, paid ${cycles[next].adverb}, on ${end}${cost}.`
    : currency && html`It renews on ${end}${cost}.`;
  return [
    status === 'trialing' && 'You can use it already; it is not paid for yet.',
    deadline !== null && 'The payment of this period is under way.',
    currency === null && (plan === 'free' ? 'It costs nothing, and does not end.' : 'Free of charge.'),
    renewal,
  ].filter((sentence) => sentence !== false && sentence !== null);
}

function showActs(subscription: Subscription, { orgId, flow }: ChangeForm): Html | false {
  if (subscription.cancelAtPeriodEnd) {
    return html`<form method="post" action="${billingPath}/resume">${flowField(flow)}
<input type="hidden" name="orgId" value="${orgId}">
<button>Resume ${subscription.title}</button></form>`;
  }
  const href = withOrganization(cancelPath, orgId);
  return (
    isCancellable(subscription) &&
    html`<p><a class="button quiet danger" href="${href}">Cancel ${subscription.title}…</a></p>`
  );
}
