import type { CallOutput } from '../../../lib/contract/context.ts';
import { capitalize } from '../../../lib/format/capitalize.ts';
import { formatPrice } from '../../../lib/format/money.ts';
import { pageLanguage, perLanguage } from '../../../web/catalogue.ts';
import { flowField } from '../../../web/flow.ts';
import { type Content, type Html, html } from '../../../web/html.ts';
import { renderMeter } from '../../../web/meter.ts';
import { renderTable } from '../../../web/table.ts';
import { renderDay, renderTime } from '../../../web/time.ts';
import { texts } from './texts.ts';

type Invoices = CallOutput<'billing.invoices.list'>;
export type Invoice = Invoices['invoices'][number];

/** The invoices, the newest first, each with its PDF, and what the reader may do with it. */
export function renderInvoices(
  path: string,
  { invoices, nextCursor }: Invoices,
  renderAct?: (invoice: Invoice) => Content,
): Html {
  const { columns, none, older } = texts().console.invoices;
  return renderTable({
    label: texts().console.headings.invoices,
    columns: [
      { heading: columns.invoice, cell: renderPdf },
      { heading: columns.date, cell: ({ issuedAt, createdAt }) => renderDay(issuedAt ?? createdAt) },
      { heading: columns.status, cell: renderStatus },
      {
        heading: columns.amount,
        cell: ({ amount, currency }) => formatPrice(amount, currency, pageLanguage()),
        isNumber: true,
      },
      ...(renderAct ? [{ heading: columns.act, cell: renderAct, isNumber: true }] : []),
    ],
    rows: invoices,
    empty: none,
    pager: {
      next: nextCursor && `${path}?${new URLSearchParams({ cursor: nextCursor })}#invoices`,
      nextWords: older,
    },
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
  return html`<span class="badge">${statuses[status]}</span>${status === 'open' && dueAt && html` ${due(renderDay(dueAt))}`}`;
}

export type Subscription = CallOutput<'billing.subscription.describe'>;
export type BillingCycle = Subscription['billingCycle'];

/** The data of the page's forms; null for users who may not change the plan. */
export type ChangeForm = { flow: string };

/** Renders the organization's plan, its next change, and the button that resumes a cancelled subscription. */
export function renderSubscription(subscription: Subscription, path: string, form: ChangeForm | null): Html {
  const t = texts().subscription;
  const { title, status, billingCycle, currency, cancelAtPeriodEnd } = subscription;
  const tag = cancelAtPeriodEnd ? t.cancelledTag : t.tags[status];
  return html`<p><strong>${title}</strong>${currency && t.paid(billingCycle)}${tag && html` <span class="badge">${tag}</span>`}</p>
${describe(subscription).map((sentence) => html`<p>${sentence}</p>`)}
${form && cancelAtPeriodEnd && renderResume(title, path, form)}`;
}

/** The way to cancel, which is the last on the page. */
export function renderCancel({ title, endsAt, currency }: Subscription, path: string): Html {
  const { cancelHint, cancelHintOfGiven } = texts().console;
  return html`<h2>${texts().console.headings.cancel}</h2>
${endsAt !== null && html`<p class="hint">${currency === null ? cancelHintOfGiven(title) : cancelHint(title)}</p>`}
<p><a class="btn danger" href="${path}/cancel">${texts().subscription.cancel(title)}</a></p>`;
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
  const cost = currency && price !== null ? t.price(formatPrice(price, currency, pageLanguage()), next) : null;
  const renewal = scheduled ? t.becomes(scheduled.title, next, end, cost) : currency && t.renews(end, cost);
  return [
    status === 'trialing' && t.trialing,
    deadline !== null && t.charging,
    currency === null && (plan === 'free' ? t.free : t.given),
    renewal,
  ].filter((sentence) => sentence !== false && sentence !== null);
}

function renderResume(title: string, path: string, { flow }: ChangeForm): Html {
  return html`<form method="post" action="${path}/resume">${flowField(flow)}
<button class="btn primary">${texts().subscription.resume(title)}</button></form>`;
}

type Usage = Subscription['usage'][number];
type Included = Usage & { limit: number };

/** The platform has no recommendations yet, only their entitlement. */
export const isOffered = ({ meter }: Usage): boolean => meter !== 'intelligence.recommendationsPerDay';
export const isIncluded = (one: Usage): one is Included => one.limit !== null;

const million = 1_000_000;
const format = perLanguage((language) => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }));
const compact = perLanguage((language) => new Intl.NumberFormat(language, { notation: 'compact' }));

/** A number for display: `4,806`, and `10M` for whole millions. */
export function numberInWords(number: number): string {
  return (number >= million && number % million === 0 ? compact() : format()).format(number);
}

/** The usage of each limit of the plan; days and months are in UTC. */
export function renderUsage({ usage, status }: Subscription): Html {
  const t = texts().console.usage;
  const offered = usage.filter(isOffered);
  const missing = offered.filter((one) => !isIncluded(one)).map(nameInSentence);
  return html`${status === 'expired' && html`<p>${t.unpaid}</p>`}
<ul class="meters">${offered.filter(isIncluded).map(renderUsed)}</ul>
<p class="hint after">${renderResets(usage)}${missing.length > 0 && html` ${t.notIncluded(missing.join(', '))}`}</p>`;
}

function renderUsed(one: Included): Html {
  const { used, limit } = one;
  const { amount, usedUp } = texts().console.usage;
  const { name, unit } = labelOf(one);
  const words = amount(numberInWords(used), numberInWords(limit), unit);
  return renderMeter({ name, words, used, limit, tag: used >= limit ? usedUp : null });
}

type Label = { name: string; unit?: string };

/** The label of a meter; of one that a service declares, from its declaration. */
function labelOf({ meter, kind, name }: Usage): Label {
  const { meters, declared } = texts().console.usage;
  if (name) return { name: declared[kind](capitalize(name)) };
  return (meters as Record<string, Label>)[meter] ?? { name: meter };
}

function nameInSentence(one: Usage): string {
  const { declared, inSentence } = texts().console.usage;
  return one.name ? declared[one.kind](one.name) : inSentence(labelOf(one).name);
}

/** When the limits of a day and of a month are reset, once for all of them. */
function renderResets(usage: Usage[]): Html {
  const { dailyReset, monthlyReset } = texts().console.usage;
  const endOf = (meterKind: Usage['kind']) => usage.find(({ kind }) => kind === meterKind)?.periodEnd;
  const [daily, monthly] = [endOf('day'), endOf('month')];
  return html`${daily && dailyReset(renderTime(daily))} ${monthly && monthlyReset(renderTime(monthly))}`;
}
