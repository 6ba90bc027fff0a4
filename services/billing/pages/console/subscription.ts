import type { CallOutput } from '../../../../lib/calls.ts';
import { formatMoney } from '../../../../lib/money.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { renderTime } from '../../../../web/time.ts';
import { texts } from '../texts.ts';
import { billingPath, cancelPath, withOrganization } from './paths.ts';

export type Subscription = CallOutput<'billing.subscription.describe'>;
export type BillingCycle = Subscription['billingCycle'];

/** The data of the page's forms; null for users who may not change the plan. */
export type ChangeForm = { orgId: string; flow: string };

/** Renders the organization's plan, its next change, and the button that resumes a cancelled subscription. */
export function renderSubscription(subscription: Subscription, form: ChangeForm | null): Html {
  const t = texts().subscription;
  const { title, status, billingCycle, currency, cancelAtPeriodEnd } = subscription;
  const tag = cancelAtPeriodEnd ? t.cancelledTag : t.tags[status];
  return html`<p><strong>${title}</strong>${currency && t.paid(billingCycle)}${tag && html` <span class="tag">${tag}</span>`}</p>
${describe(subscription).map((sentence) => html`<p>${sentence}</p>`)}
${form && cancelAtPeriodEnd && renderResume(title, form)}`;
}

/** The way to cancel, which is the last on the page. */
export function renderCancel({ title, endsAt }: Subscription, { orgId }: ChangeForm): Html {
  return html`<h2>${texts().console.headings.cancel}</h2>
${endsAt !== null && html`<p class="hint">${texts().console.cancelHint(title)}</p>`}
<p><a class="button quiet danger" href="${withOrganization(cancelPath, orgId)}">${texts().subscription.cancel(title)}</a></p>`;
}

/** Whether the subscription can be cancelled. */
export function isCancellable({ plan, status, cancelAtPeriodEnd }: Subscription): boolean {
  return plan !== 'free' && status !== 'canceled' && !cancelAtPeriodEnd;
}

function describe(subscription: Subscription): Content[] {
  const t = texts().subscription;
  const { title, status, deadline, endsAt, cancelAtPeriodEnd, currentPeriodEnd } = subscription;
  const canceled = t.cancelled(title, renderTime(endsAt ?? currentPeriodEnd));
  const until = deadline && renderTime(deadline);
  switch (status) {
    case 'past_due':
      return cancelAtPeriodEnd ? [t.paymentFailed, canceled] : [t.pastDue(until)];
    case 'expired':
      return [t.expired(until)];
    case 'incomplete':
      return [t.incomplete(until)];
    case 'canceled':
      return [t.ended];
    case 'active':
    case 'trialing':
      return cancelAtPeriodEnd ? [canceled] : goingOn(subscription);
  }
}

function goingOn({ plan, status, currency, price, billingCycle, currentPeriodEnd, scheduled, deadline }: Subscription) {
  const t = texts().subscription;
  const end = renderTime(currentPeriodEnd);
  const next = scheduled?.billingCycle ?? billingCycle;
  const cost = currency && price !== null ? t.price(formatMoney(price, currency), next) : null;
  const renewal = scheduled ? t.becomes(scheduled.title, next, end, cost) : currency && t.renews(end, cost);
  return [
    status === 'trialing' && t.trialing,
    deadline !== null && t.charging,
    currency === null && (plan === 'free' ? t.free : t.given),
    renewal,
  ].filter((sentence) => sentence !== false && sentence !== null);
}

function renderResume(title: string, { orgId, flow }: ChangeForm): Html {
  return html`<form method="post" action="${billingPath}/resume">${flowField(flow)}
<input type="hidden" name="orgId" value="${orgId}">
<button>${texts().subscription.resume(title)}</button></form>`;
}
