import type { CallOutput } from '../../../../lib/calls.ts';
import { formatMoney } from '../../../../lib/money.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { taxSentence } from '../../../../web/tax-sentence.ts';
import { renderDay } from '../../../../web/time.ts';
import { texts } from '../texts.ts';

type Checkout = CallOutput<'billing.checkouts.show'>;
type Line = readonly [name: string, value: Content];

/** Renders the order: plan, period, amount due with tax, and renewal price. */
export function renderSummary(checkout: Checkout): Html {
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

function periodOf({ period }: Checkout): Line[] {
  const { summary } = texts().checkout;
  return period ? [[summary.period, summary.span(renderDay(period.start), renderDay(period.end))]] : [];
}

/** The price, what is taken off it, and what is due. At the price without a proration, that is one line. */
function amountsOf({ price, amount, currency, tax, taxBehavior }: Checkout): Line[] {
  const { summary } = texts().checkout;
  const prorated: Line[] =
    amount < price
      ? [
          [summary.price, formatMoney(price, currency)],
          [
            summary.proration,
            html`${formatMoney(amount - price, currency)} <span class="hint">${summary.prorationHint}</span>`,
          ],
        ]
      : [];
  const included = tax ? summary.tax(tax.name, tax.rate) : null;
  return [
    ...prorated,
    [
      summary.due,
      html`<strong>${formatMoney(amount, currency)}</strong> <span class="hint">${taxSentence(taxBehavior)}</span>`,
    ],
    ...(tax && included !== null ? [[included, formatMoney(tax.amount, currency)] as const] : []),
  ];
}

function renewalOf({ period, price, currency }: Checkout): Line[] {
  const { summary } = texts().checkout;
  return period ? [[summary.renewal, summary.renews(renderDay(period.end), formatMoney(price, currency))]] : [];
}
