import type { CallOutput } from '../../../lib/contract/context.ts';
import { formatPrice } from '../../../lib/format/money.ts';
import { pageLanguage } from '../../../web/catalogue.ts';
import { flowField } from '../../../web/flow.ts';
import { type Html, html } from '../../../web/html.ts';
import { taxSentence } from '../../../web/tax-sentence.ts';
import { renderTime } from '../../../web/time.ts';
import { declaredLimits } from '../quota/meters.ts';
import { type BillingCycle, type ChangeForm, numberInWords, type Subscription } from './subscription.ts';
import { texts } from './texts.ts';

type Plan = Pick<CallOutput<'billing.plans.list'>['data'][number], 'entitlements' | 'limits'>;

/** The entitlements and limits of a plan, one per line. Omits services that do not exist yet. */
export function includedIn({ entitlements, limits }: Plan): string[] {
  const { context, connect, notification, mail, storage } = entitlements;
  const t = texts().plans.included;
  const n = numberInWords;
  const lines = [
    context.enabled && t.events(n(context.eventsPerDay), n(context.contextRetentionDays)),
    connect.enabled && t.seats(seatsInWords(connect.agentSeats)),
    notification.enabled && t.notifications(n(notification.sendsPerMonth)),
    mail.enabled && t.mails(n(mail.sendsPerMonth)),
    storage.enabled && t.storage(n(storage.storageGb), n(storage.bandwidthGbPerMonth)),
    t.people(n(limits.members), n(limits.roles)),
    t.programs(n(limits.applications), n(limits.apiKeys)),
  ];
  return lines.filter((line) => line !== false);
}

/** The limits of a plan that services declare, one per line. */
function includedOfServices(plan: OfferedPlan['plan']): string[] {
  const { declared } = texts().plans.included;
  return declaredLimits().flatMap(([, { kind, name, limits }]) => {
    const limit = limits[plan];
    return limit === null ? [] : [declared[kind](numberInWords(limit), name)];
  });
}

function seatsInWords(seats: number): string {
  const { oneAgent, agents } = texts().plans.included;
  return seats === 1 ? oneAgent : agents(numberInWords(seats));
}

type OfferedPlan = CallOutput<'billing.plans.list'>['data'][number];
type Currency = OfferedPlan['prices'][number]['currency'];

export type Offers = {
  /** Path of the page. */
  path: string;
  plans: OfferedPlan[];
  subscription: Subscription;
  currency: Currency;
  billingCycle: BillingCycle;
  /** Null for users who may not change the plan. */
  form: ChangeForm | null;
};

const owing: readonly Subscription['status'][] = ['past_due', 'expired', 'incomplete'];

/** The plans on sale side by side, at the prices of one billing period, each with its button. */
export function renderOffers(offers: Offers): Html {
  const { plans, subscription } = offers;
  const primary = subscription.cancelAtPeriodEnd ? undefined : plans.find((plan) => isPrimary(plan, offers));
  return html`<div class="row wrap">${renderCycles(offers)}${subscription.currency === null && renderCurrencies(offers)}</div>
<ul class="plans">${plans.map((plan) => renderPlan(plan, offers, plan === primary))}</ul>
<p class="hint after">${renderTerms(subscription)} ${plans[0] && taxSentence(plans[0].taxBehavior)}</p>`;
}

function renderTerms({ arePaymentsEnabled, credit }: Subscription): string {
  const t = texts().plans.terms;
  if (!arePaymentsEnabled) return t.noPayments;
  if (credit === 'none') return `${t.noCredit} ${t.less}`;
  return credit === 'time' ? `${t.credit} ${t.time} ${t.less}` : `${t.credit} ${t.less}`;
}

function renderCycles({ path, currency, billingCycle }: Offers): Html {
  const { cycle } = texts().plans;
  const links = (['monthly', 'yearly'] as const).map((one) => {
    const href = `${path}?${new URLSearchParams({ currency, cycle: one })}#plans`;
    return renderSwitch(cycle[one], href, one === billingCycle);
  });
  return html`<div class="seg" role="group" aria-label="${cycle.label}">${links}</div>`;
}

/** An organization with a paid plan keeps its currency. */
function renderCurrencies({ path, currency, billingCycle }: Offers): Html {
  const links = (['eur', 'usd'] as const).map((one) => {
    const href = `${path}?${new URLSearchParams({ currency: one, cycle: billingCycle })}#plans`;
    return renderSwitch(one.toUpperCase(), href, one === currency);
  });
  return html`<div class="seg" role="group" aria-label="${texts().plans.currency}">${links}</div>`;
}

function renderSwitch(words: string, href: string, isCurrent: boolean): Html {
  return html`<a href="${href}"${isCurrent && html` aria-current="true"`}>${words}</a>`;
}

function renderPlan(plan: OfferedPlan, offers: Offers, isPrimary: boolean): Html {
  const { yourPlan, descriptions } = texts().plans;
  const isCurrent = plan.plan === offers.subscription.plan;
  return html`<li class="plan${isCurrent && ' now'}"><h3>${plan.name}${isCurrent && html` <span class="badge">${yourPlan}</span>`}</h3>
<p class="quiet small">${descriptions[plan.plan]}</p>
<div class="price">${renderPrice(plan, offers)}</div>
<div>${renderAct(plan, offers, isPrimary)}</div>
<ul>${[...includedIn(plan), ...includedOfServices(plan.plan)].map((line) => html`<li>${line}</li>`)}</ul></li>`;
}

function renderPrice(plan: OfferedPlan, { currency, billingCycle }: Offers): Html {
  const t = texts().plans;
  const price = amountOf(plan, currency, billingCycle);
  const twelve = 12 * amountOf(plan, currency, 'monthly');
  const saved = billingCycle === 'yearly' ? Math.floor(((twelve - price) / twelve) * 100) : 0;
  return html`<p><strong>${formatPrice(price, currency, pageLanguage())}</strong>${price > 0 && ` ${t.per[billingCycle]}`}</p>
${saved > 0 && html`<p class="hint">${t.saving(saved)}</p>`}`;
}

function amountOf({ prices }: OfferedPlan, currency: Currency, billingCycle: BillingCycle): number {
  return prices.find((one) => one.currency === currency && one.billingCycle === billingCycle)?.amount ?? 0;
}

function renderAct(plan: OfferedPlan, offers: Offers, isPrimary: boolean): Html | null {
  const { path, subscription, currency, billingCycle, form } = offers;
  const { scheduled, currentPeriodEnd, arePaymentsEnabled } = subscription;
  if (scheduled?.plan === plan.plan && scheduled.billingCycle === billingCycle) {
    return html`<p>${texts().plans.scheduled(renderTime(currentPeriodEnd))}</p>`;
  }
  const act = actOf(plan, offers);
  if (!form || !arePaymentsEnabled || act === null) return null;
  return html`<form method="post" action="${path}/checkout" class="acts">${flowField(form.flow)}
<input type="hidden" name="plan" value="${plan.plan}">
<input type="hidden" name="currency" value="${currency}">
<button name="billingCycle" value="${billingCycle}" class="btn${isPrimary && ' primary'}">${act}</button></form>`;
}

/** Whether a plan has the page's primary button: the overdue payment, otherwise the next larger plan. */
function isPrimary(plan: OfferedPlan, { subscription, billingCycle }: Offers): boolean {
  const direction = directionOf(plan, subscription, billingCycle);
  if (owing.includes(subscription.status)) return direction === 'same';
  return direction === 'upgrade' && plan.plan !== subscription.plan;
}

/** The label of choosing a plan; null for the current plan, and for what is not for sale. */
function actOf(plan: OfferedPlan, { subscription, currency, billingCycle }: Offers): string | null {
  const { acts } = texts().plans;
  const { name } = plan;
  const direction = directionOf(plan, subscription, billingCycle);
  if (amountOf(plan, currency, billingCycle) === 0) return null;
  if (direction === 'same' && owing.includes(subscription.status)) return acts.pay(name);
  if (direction === 'same') return subscription.scheduled ? acts.keep(name) : null;
  if (plan.plan === subscription.plan) return acts[billingCycle](name);
  return direction === 'upgrade' ? acts.upgrade(name) : acts.change(name);
}

function directionOf({ plan }: OfferedPlan, { changes }: Subscription, billingCycle: BillingCycle) {
  return changes.find((one) => one.plan === plan && one.billingCycle === billingCycle)?.direction;
}
