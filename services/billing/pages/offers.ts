import type { CallOutput } from '../../../lib/contract/context.ts';
import { capitalize } from '../../../lib/format/capitalize.ts';
import { formatPrice } from '../../../lib/format/money.ts';
import { pageLanguage } from '../../../web/catalogue.ts';
import { flowField } from '../../../web/flow.ts';
import { type Html, html } from '../../../web/html.ts';
import { renderBadge } from '../../../web/states.ts';
import { renderTime } from '../../../web/time.ts';
import { declaredLimits } from '../quota/meters.ts';
import type { BillingCycle, ChangeForm, Subscription } from './subscription.ts';
import { texts } from './texts.ts';
import { amountInWords, numberInWords } from './usage.ts';

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
  const primary = primaryPlan(offers);
  return html`<section class="sec" id="plans" aria-labelledby="h-plans"><div class="sec-head"><h2 id="h-plans">${texts().console.headings.plans}</h2>${renderCycles(offers)}${subscription.currency === null && renderCurrencies(offers)}</div>
<ul class="plans">${plans.map((plan) => renderPlan(plan, offers, plan === primary))}</ul>
<p class="hint after">${renderTerms(subscription)} ${plans[0] && texts().taxes[plans[0].taxBehavior]}</p></section>`;
}

/** Whether the page's primary button is to resume the plan, or to choose one of the offered plans. */
export function hasPrimary(offers: Offers): boolean {
  return offers.subscription.cancelAtPeriodEnd || primaryPlan(offers) !== undefined;
}

function primaryPlan(offers: Offers): OfferedPlan | undefined {
  const { plans, subscription } = offers;
  return subscription.cancelAtPeriodEnd ? undefined : plans.find((plan) => isPrimary(plan, offers));
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
  return html`<li class="plan${isCurrent && ' now'}"><h3>${plan.name}${isCurrent && html` ${renderBadge(yourPlan, 'accent')}`}</h3>
<div>${renderPrice(plan, offers)}</div>
<p class="quiet small">${descriptions[plan.plan]}</p>
<div>${renderAct(plan, offers, isPrimary)}</div>
<ul>${includedIn(plan).map(([label, value]) => html`<li><span class="quiet">${label}</span> <span class="num">${value}</span></li>`)}</ul></li>`;
}

type Included = [label: string, value: string];

/** The entitlements and limits of a plan, each with its label. Omits services that do not exist yet. */
function includedIn({ plan, entitlements, limits }: OfferedPlan): Included[] {
  const { context, connect, notification, mail, storage } = entitlements;
  const t = texts().plans.included;
  const n = numberInWords;
  const rows: (Included | false)[] = [
    context.enabled && [t.events, n(context.eventsPerDay)],
    context.enabled && [t.eventsKept, daysInWords(context.contextRetentionDays)],
    mail.enabled && [t.mails, n(mail.sendsPerMonth)],
    notification.enabled && [t.notifications, n(notification.sendsPerMonth)],
    storage.enabled && [t.storage, amountInWords('storage.storageGb', storage.storageGb)],
    storage.enabled && [t.bandwidth, amountInWords('storage.bandwidthGbPerMonth', storage.bandwidthGbPerMonth)],
    connect.enabled && [t.seats, n(connect.agentSeats)],
    [t.members, n(limits.members)],
    [t.roles, n(limits.roles)],
    [t.applications, n(limits.applications)],
    [t.apiKeys, n(limits.apiKeys)],
  ];
  return [...rows.filter((row) => row !== false), ...includedOfServices(plan)];
}

/** The limits of a plan that services declare. */
function includedOfServices(plan: OfferedPlan['plan']): Included[] {
  const { declared } = texts().plans.included;
  return declaredLimits().flatMap(([, { kind, name, limits }]): Included[] => {
    const limit = limits[plan];
    return limit === null ? [] : [[declared[kind](capitalize(name)), numberInWords(limit)]];
  });
}

const daysOfYear = 365;

function daysInWords(days: number): string {
  const t = texts().plans.included;
  return days % daysOfYear === 0 ? t.years(days / daysOfYear) : t.days(days);
}

function renderPrice(plan: OfferedPlan, { currency, billingCycle }: Offers): Html {
  const t = texts().plans;
  const price = amountOf(plan, currency, billingCycle);
  const twelve = 12 * amountOf(plan, currency, 'monthly');
  const saved = billingCycle === 'yearly' ? Math.floor(((twelve - price) / twelve) * 100) : 0;
  return html`<p class="price"><b>${formatPrice(price, currency, pageLanguage())}</b>${price > 0 && html` <span class="quiet">${t.per[billingCycle]}</span>`}</p>
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
  if (!form || !arePaymentsEnabled) return null;
  if (act === null) {
    const isCurrent = plan.plan === subscription.plan;
    return isCurrent ? html`<button class="btn" disabled>${texts().plans.yourPlan}</button>` : null;
  }
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
