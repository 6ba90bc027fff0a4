import { once } from '../../../lib/concurrency/for-each-concurrently.ts';
import type { CallOutput } from '../../../lib/contract/context.ts';
import { formatMoney } from '../../../lib/format/money.ts';
import { language } from '../../../web/catalogue.ts';
import { flowField } from '../../../web/flow.ts';
import { type Content, type Html, html } from '../../../web/html.ts';
import { renderMeter } from '../../../web/meter.ts';
import { renderTable } from '../../../web/table.ts';
import { renderDay, renderTime } from '../../../web/time.ts';
import { billingPath, cancelPath, withOrganization } from './paths.ts';
import { texts } from './texts.ts';

type Invoices = CallOutput<'billing.invoices.list'>;
type Invoice = Invoices['invoices'][number];

/** The invoices, the newest first, each with its PDF. */
export function renderInvoices(orgId: string, { invoices, nextCursor }: Invoices): Html {
  const { columns, none, older } = texts().console.invoices;
  return renderTable({
    label: texts().console.headings.invoices,
    columns: [
      { heading: columns.invoice, cell: renderPdf },
      { heading: columns.date, cell: ({ issuedAt, createdAt }) => renderDay(issuedAt ?? createdAt) },
      { heading: columns.status, cell: renderStatus },
      { heading: columns.amount, cell: ({ amount, currency }) => formatMoney(amount, currency), isNumber: true },
    ],
    rows: invoices,
    empty: none,
    next: nextCursor
      ? { href: `${withOrganization(billingPath, orgId, { cursor: nextCursor })}#invoices`, words: older }
      : null,
  });
}

/**
 * Links the PDF without a signature: the user's session allows it, and a signed link expires while the page is open.
 */
function renderPdf({ number, pdfUrl }: Invoice): Html {
  const { pdf, unnumbered } = texts().console.invoices;
  const { pathname } = new URL(pdfUrl);
  const name = number ?? unnumbered;
  return html`<a href="${pathname}" type="application/pdf" aria-label="${pdf(name)}">${name}</a>`;
}

function renderStatus({ status, dueAt }: Invoice): Html {
  const { statuses, due } = texts().console.invoices;
  return html`<span class="tag">${statuses[status]}</span>${status === 'open' && dueAt && html` ${due(renderDay(dueAt))}`}`;
}

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

type Usage = Subscription['usage'][number];
type Included = Usage & { limit: number };

const million = 1_000_000;
const format = once(() => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }));
const compact = once(() => new Intl.NumberFormat(language, { notation: 'compact' }));

/** A number for display: `4,806`, and `10M` for whole millions. */
export function numberInWords(number: number): string {
  return (number >= million && number % million === 0 ? compact() : format()).format(number);
}

/** The usage of each limit of the plan; days and months are in UTC. */
export function renderUsage({ usage, status }: Subscription): Html {
  const t = texts().console.usage;
  const isIncluded = (one: Usage): one is Included => one.limit !== null;
  const missing = usage.filter((one) => !isIncluded(one)).map(({ meter }) => t.meters[meter].name.toLowerCase());
  return html`${status === 'expired' && html`<p>${t.unpaid}</p>`}
<ul class="items meters">${usage.filter(isIncluded).map(renderUsed)}</ul>
<p class="hint">${renderResets(usage)}${missing.length > 0 && html` ${t.notIncluded(missing.join(', '))}`}</p>`;
}

function renderUsed({ meter, used, limit }: Included): Html {
  const { amount, meters, usedUp } = texts().console.usage;
  const { name, unit }: { name: string; unit?: string } = meters[meter];
  const words = amount(numberInWords(used), numberInWords(limit), unit);
  return renderMeter({ name, words, used, limit, tag: used >= limit ? usedUp : null });
}

/** When the limits of a day and of a month are reset, once for all of them. */
function renderResets(usage: Usage[]): Html {
  const { dailyReset, monthlyReset } = texts().console.usage;
  const endOf = (suffix: string) =>
    usage.find(({ meter, periodEnd }) => meter.endsWith(suffix) && periodEnd !== null)?.periodEnd;
  const [daily, monthly] = [endOf('PerDay'), endOf('PerMonth')];
  return html`${daily && dailyReset(renderTime(daily))} ${monthly && monthlyReset(renderTime(monthly))}`;
}
