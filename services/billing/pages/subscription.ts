import type { CallOutput } from '../../../lib/contract/context.ts';
import { formatPrice } from '../../../lib/format/money.ts';
import { pageLanguage } from '../../../web/catalogue.ts';
import { flowField } from '../../../web/flow.ts';
import { type Content, type Html, html } from '../../../web/html.ts';
import { renderBadge, renderState } from '../../../web/states.ts';
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
      { heading: columns.invoice, cell: renderInvoiceName },
      { heading: columns.date, cell: renderDate },
      { heading: columns.status, cell: renderInvoiceStatus, isState: true },
      { heading: columns.amount, cell: amountOf, isNumber: true },
      ...(renderAct ? [{ heading: columns.act, cell: renderAct, isNumber: true, isState: true }] : []),
    ],
    rows: invoices,
    empty: html`<p class="quiet small">${none}</p>`,
    pager: {
      next: nextCursor && `${path}?${new URLSearchParams({ cursor: nextCursor })}#invoices`,
      nextWords: older,
    },
  });
}

/**
 * Links the PDF without a signature: the user's session allows it, and a signed link expires while the page is open.
 */
function renderInvoiceName(invoice: Invoice): Html {
  const { pdf, unnumbered } = texts().console.invoices;
  const { pathname } = new URL(invoice.pdfUrl);
  const name = invoice.number ?? unnumbered;
  return html`<a class="name" href="${pathname}" type="application/pdf" aria-label="${pdf(name)}">${name}</a>
<span class="sub phone clip">${renderDate(invoice)}, ${amountOf(invoice)}</span>`;
}

const renderDate = ({ issuedAt, createdAt }: Invoice): Html => renderDay(issuedAt ?? createdAt);
const amountOf = ({ amount, currency }: Invoice): string => formatPrice(amount, currency, pageLanguage());

const invoiceTones = { draft: 'off', open: 'warn', paid: 'good', void: 'off', uncollectible: 'bad' } as const;

function renderInvoiceStatus({ status, dueAt }: Invoice): Html {
  const { statuses, due } = texts().console.invoices;
  return html`${renderState(statuses[status], invoiceTones[status])}${status === 'open' && dueAt && html` ${due(renderDay(dueAt))}`}`;
}

export type Subscription = CallOutput<'billing.subscription.describe'>;
export type BillingCycle = Subscription['billingCycle'];

/** The data of the page's forms; null for users who may not change the plan. */
export type ChangeForm = { flow: string };

/** Renders the organization's plan with its price, its next change, and what the reader may do with it. */
export function renderSubscription(subscription: Subscription, acts: Content = null): Html {
  const { title, billingCycle, currency } = subscription;
  const cycle = currency && html` ${renderBadge(texts().plans.cycle[billingCycle], 'line')}`;
  return html`<section class="bill" aria-label="${texts().console.headings.plan}">
<div><h2>${title}${cycle}${renderStatus(subscription)}</h2>${renderCost(subscription)}</div>
<div class="notes">${describe(subscription).map((sentence) => html`<p>${sentence}</p>`)}</div>
${acts && html`<div class="acts">${acts}</div>`}</section>`;
}

const tones = {
  active: undefined,
  trialing: 'warn',
  past_due: 'bad',
  incomplete: 'warn',
  expired: 'bad',
  canceled: undefined,
} as const;

function renderStatus({ status, cancelAtPeriodEnd }: Subscription): Html | null {
  const { tags, cancelledTag } = texts().subscription;
  if (cancelAtPeriodEnd) return html` ${renderBadge(cancelledTag)}`;
  const tag = tags[status];
  return tag === null ? null : html` ${renderBadge(tag, tones[status])}`;
}

/** The price of each period. A scheduled change has another one, which its sentence names. */
function renderCost({ currency, price, scheduled, billingCycle }: Subscription): Html | null {
  if (currency === null || price === null || scheduled) return null;
  const amount = formatPrice(price, currency, pageLanguage());
  return html`<p><b class="fig">${amount}</b> <span class="quiet">${texts().plans.per[billingCycle]}</span></p>`;
}

/** Renders the buttons of the plan: to resume a cancelled subscription, and to the plans on sale. */
export function renderPlanActs(
  { title, cancelAtPeriodEnd, arePaymentsEnabled }: Subscription,
  path: string,
  { flow }: ChangeForm,
  isPrimary: boolean,
): Html | null {
  if (!cancelAtPeriodEnd && !arePaymentsEnabled) return null;
  const t = texts().subscription;
  const change = html`<a class="btn${isPrimary && ' primary'}" href="#plans">${t.change}</a>`;
  return html`${
    cancelAtPeriodEnd &&
    html`<form method="post" action="${path}/resume">${flowField(flow)}
<button class="btn primary">${t.resume(title)}</button></form>`
  }${arePaymentsEnabled && change}`;
}

/** The way to cancel, which is the last on the page. */
export function renderCancel({ title, endsAt, currency }: Subscription, path: string): Html {
  const { headings, cancel, cancelHint, cancelHintOfGiven } = texts().console;
  const hint = currency === null ? cancelHintOfGiven(title) : cancelHint(title);
  return html`<section class="sec" aria-labelledby="h-cancel"><h2 id="h-cancel" class="vh">${headings.cancel}</h2>
<p class="quiet small">${cancel(title, `${path}/cancel`)}${endsAt !== null && ` ${hint}`}</p></section>`;
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
  const cycle = scheduled?.billingCycle ?? billingCycle;
  const cost = currency && price !== null ? t.price(formatPrice(price, currency, pageLanguage()), cycle) : null;
  const next = scheduled ? t.becomes(scheduled.title, cycle, end, cost) : currency && t.renews(end);
  return [
    status === 'trialing' && t.trialing,
    deadline !== null && t.charging,
    currency === null && (plan === 'free' ? t.free : t.given),
    next,
  ].filter((sentence) => sentence !== false && sentence !== null);
}
