import type { CallOutput } from '../../../lib/contract/context.ts';
import { formatPrice } from '../../../lib/format/money.ts';
import type { Refusal } from '../../../web/attempt.ts';
import { pageLanguage } from '../../../web/catalogue.ts';
import { renderCopyField } from '../../../web/copy.ts';
import { renderProblems } from '../../../web/fields.ts';
import { flowField } from '../../../web/flow.ts';
import { headOf } from '../../../web/form-page.ts';
import { type Content, type Html, html } from '../../../web/html.ts';
import { type PageAnswer, renderPage } from '../../../web/page.ts';
import { renderDay } from '../../../web/time.ts';
import { texts } from './texts.ts';

type CheckoutSummary = CallOutput<'billing.checkouts.show'>;
type Line = readonly [name: string, value: Content];

/** Renders the order: plan, period, amount due with tax, and renewal price. */
function renderSummary(checkout: CheckoutSummary): Html {
  const t = texts().checkout;
  const { organizationName, title, billingCycle, hasBegun } = checkout;
  const lines: Line[] = [
    [t.summary.organization, organizationName],
    [t.summary.plan, t.summary.terms(title, billingCycle)],
    ...periodOf(checkout),
    ...(checkout.page === 'upgrade' ? [] : amountsOf(checkout)),
    ...renewalOf(checkout),
  ];
  return html`<dl class="summary">${lines.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`,
  )}</dl>
${hasBegun && html`<p>${t.begun}</p>`}`;
}

function periodOf({ period }: CheckoutSummary): Line[] {
  const { summary } = texts().checkout;
  return period ? [[summary.period, summary.span(renderDay(period.start), renderDay(period.end))]] : [];
}

/** The price, what is taken off it, and what is due. At the price without a proration, that is one line. */
function amountsOf({ price, amount, currency, tax, taxBehavior }: CheckoutSummary): Line[] {
  const { summary } = texts().checkout;
  const prorated: Line[] =
    amount < price
      ? [
          [summary.price, formatPrice(price, currency, pageLanguage())],
          [
            summary.proration,
            html`${formatPrice(amount - price, currency, pageLanguage())} <span class="hint">${summary.prorationHint}</span>`,
          ],
        ]
      : [];
  const included = tax ? summary.tax(tax.name, tax.rate) : null;
  return [
    ...prorated,
    [
      summary.due,
      html`<strong>${formatPrice(amount, currency, pageLanguage())}</strong> <span class="hint">${texts().taxes[taxBehavior]}</span>`,
    ],
    ...(tax && included !== null ? [[included, formatPrice(tax.amount, currency, pageLanguage())] as const] : []),
  ];
}

function renewalOf({ period, price, currency }: CheckoutSummary): Line[] {
  const { summary } = texts().checkout;
  return period
    ? [[summary.renewal, summary.renews(renderDay(period.end), formatPrice(price, currency, pageLanguage()))]]
    : [];
}

export type Checkout = CallOutput<'billing.checkouts.show'>;

type Shown = {
  sessionId: string;
  checkout: Checkout;
  form: { action: string; flow: string };
  refusal: Refusal | undefined;
};

/** Shows the page of an open checkout. */
export function renderCheckoutPage({ sessionId, checkout, form, refusal }: Shown): PageAnswer {
  const { title, lead, buttons, panel } = describe(checkout, sessionId);
  const { goBack, test } = texts().checkout;
  const body = html`${checkout.page === 'test' && html`<p class="badge warn">${test.banner}</p>`}
<h1>${title}</h1>
${refusal && renderProblems([refusal.problem], refusal.errors)}
${lead}
${
  checkout.page !== 'waiting' &&
  html`<form method="post" action="${form.action}">${flowField(form.flow)}
${buttons.map(renderButton)}
${panel}
${renderButton({ act: 'abandon', words: goBack, isQuiet: true })}
</form>`
}`;
  return renderPage({ ...headOf(title, refusal), body, formsLeave: checkout.page !== 'waiting' });
}

type Button = { act: string; words: string; isQuiet?: boolean };
type Described = { title: string; lead: Content; buttons: Button[]; panel?: Html };

function describe(checkout: Checkout, sessionId: string): Described {
  switch (checkout.page) {
    case 'manual':
      return describeTransfer(checkout, sessionId);
    case 'covered':
      return describeCovered(checkout);
    case 'change':
      return describeChange(checkout);
    case 'upgrade':
      return describeUpgrade(checkout);
    case 'waiting':
      return describeWaiting(checkout);
    default:
      return checkout.isChallenged ? describeChallenge(checkout) : describePayment(checkout);
  }
}

function describePayment(checkout: Checkout): Described {
  const { pay, test } = texts().checkout;
  return {
    title: pay(checkout.title),
    lead: renderSummary(checkout),
    buttons: [{ act: 'approve', words: test.pay(due(checkout)) }],
    panel: html`<fieldset class="stack tight"><legend>${test.outcomes}</legend>
<p class="hint">${test.outcomesLead}</p>
${[
  { act: 'approve-once', words: test.failRenewals, isQuiet: true },
  { act: 'challenge', words: test.challenge, isQuiet: true },
  { act: 'decline', words: test.decline, isQuiet: true },
].map(renderButton)}</fieldset>`,
  };
}

function describeChallenge(checkout: Checkout): Described {
  const { isItYou, bankAsks, yes, no } = texts().checkout.test;
  return {
    title: isItYou,
    lead: html`<p>${bankAsks(due(checkout), checkout.sellerName)}</p>`,
    buttons: [
      { act: 'complete', words: yes },
      { act: 'fail', words: no, isQuiet: true },
    ],
  };
}

function describeTransfer(checkout: Checkout, sessionId: string): Described {
  const { pay, transfer } = texts().checkout;
  return {
    title: pay(checkout.title),
    lead: html`${renderSummary(checkout)}
<p>${transfer.lead(checkout.sellerName)}</p>
${renderCopyField('reference', sessionId, transfer.reference)}
<p>${transfer.counts}</p>`,
    buttons: [],
  };
}

function describeUpgrade(checkout: Checkout): Described {
  const { goOn, upgrade } = texts().checkout;
  return {
    title: goOn(checkout.title),
    lead: html`${renderSummary(checkout)}
<p>${upgrade.lead(due(checkout))} ${texts().taxes[checkout.taxBehavior]}</p>`,
    buttons: [{ act: 'confirm', words: upgrade.confirm }],
  };
}

function describeCovered(checkout: Checkout): Described {
  const { goOn, covered } = texts().checkout;
  const { title, coveredUntil } = checkout;
  return {
    title: goOn(title),
    lead: html`${renderSummary(checkout)}
<p>${covered(coveredUntil && renderDay(coveredUntil))}</p>`,
    buttons: [{ act: 'confirm', words: goOn(title) }],
  };
}

function describeChange(checkout: Checkout): Described {
  const t = texts().checkout;
  const { title, organizationName, countsFrom, isKept, billingCycle } = checkout;
  const plan = t.plan(title, billingCycle);
  const words = isKept ? t.keep(title) : t.change(title);
  const change = isKept
    ? t.kept(organizationName, plan)
    : t.changes(countsFrom && renderDay(countsFrom), organizationName, plan);
  return {
    title: words,
    lead: html`<p>${change}</p>
<p>${t.nothingDue}</p>`,
    buttons: [{ act: 'confirm', words }],
  };
}

function describeWaiting({ title, successUrl }: Checkout): Described {
  const { waiting, goOnLink } = texts().checkout;
  return {
    title: waiting.title,
    lead: html`<p>${waiting.lead(title)}</p>
<p><a class="btn primary" href="${successUrl}">${goOnLink}</a></p>`,
    buttons: [],
  };
}

function due({ amount, currency }: Checkout): string {
  return formatPrice(amount, currency, pageLanguage());
}

function renderButton({ act, words, isQuiet }: Button): Html {
  return html`<button name="act" value="${act}" class="btn${!isQuiet && ' primary'}">${words}</button>
`;
}

type Ended = { title: string; words: string; status: number; link: string };

/** Shows the page of a checkout that has ended, with its outcome. */
export function renderEndedPage(checkout: Checkout): PageAnswer {
  const { title, words, status, link } = describeOutcome(checkout);
  const body = html`<h1>${title}</h1>
<p>${words}</p>
<p><a class="btn primary" href="${link}">${texts().checkout.goOnLink}</a></p>`;
  return renderPage({ title, status, body });
}

function describeOutcome({ status, page, title, organizationName, successUrl, cancelUrl }: Checkout): Ended {
  const { paid, confirmed, expired, closed } = texts().checkout.ended;
  if (status === 'expired') return { ...expired, status: 410, link: cancelUrl };
  if (status === 'closed') return { ...closed, status: 410, link: cancelUrl };
  if (page === 'change') return { ...confirmed, status: 200, link: successUrl };
  return { title: paid.title, words: paid.words(organizationName, title), status: 200, link: successUrl };
}
