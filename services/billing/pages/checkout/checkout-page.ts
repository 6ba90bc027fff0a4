import type { CallOutput } from '../../../../lib/calls.ts';
import { formatMoney } from '../../../../lib/money.ts';
import type { Refusal } from '../../../../web/attempt.ts';
import { showProblems } from '../../../../web/fields.ts';
import { flowField } from '../../../../web/flow.ts';
import { refusedPage } from '../../../../web/form-page.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { type PageAnswer, showPage } from '../../../../web/page.ts';
import { taxSentence } from '../../../../web/tax-sentence.ts';

export type Checkout = CallOutput<'billing.checkouts.show'>;

type Shown = {
  sessionId: string;
  checkout: Checkout;
  form: { action: string; flow: string };
  refusal: Refusal | undefined;
};

/** Shows the page of an open checkout. */
export function showCheckoutPage({ sessionId, checkout, form, refusal }: Shown): PageAnswer {
  const { title, lead, buttons, hint } = describe(checkout, sessionId);
  const body = html`<h1>${title}</h1>
${refusal && showProblems([refusal.problem], refusal.errors)}
${lead}
${checkout.page !== 'waiting' && showButtons(form, [...buttons, { act: 'abandon', words: 'Go back', isQuiet: true }])}
${hint && html`<div class="links"><p class="hint">${hint}</p></div>`}`;
  return showPage({ ...refusedPage(refusal), title: refusal ? `Error: ${title}` : title, body });
}

type Button = { act: string; words: string; isQuiet?: boolean };
type Described = { title: string; lead: Html; buttons: Button[]; hint?: Content };

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
  return {
    title: `Pay for ${checkout.title}`,
    lead: html`${whatIsBought(checkout)}
${whatIsDue(checkout)}`,
    buttons: [
      { act: 'approve', words: `Pay ${due(checkout)}` },
      { act: 'approve-once', words: 'Pay, but let renewals fail', isQuiet: true },
      { act: 'challenge', words: 'Have the bank ask first', isQuiet: true },
      { act: 'decline', words: 'Have the payment refused', isQuiet: true },
    ],
    hint: 'This page is for trying payments: no money moves, whatever you choose.',
  };
}

function describeChallenge(checkout: Checkout): Described {
  return {
    title: 'Is it you who pays?',
    lead: html`<p>The bank of this page for trying payments asks whether it is you who pays <strong>${due(checkout)}</strong>
to <strong>${checkout.sellerName}</strong>.</p>`,
    buttons: [
      { act: 'complete', words: 'Yes, pay' },
      { act: 'fail', words: 'No, it is not me', isQuiet: true },
    ],
  };
}

function describeTransfer(checkout: Checkout, sessionId: string): Described {
  return {
    title: `Pay for ${checkout.title}`,
    lead: html`${whatIsBought(checkout)}
${whatIsDue(checkout)}
<p>Transfer it to <strong>${checkout.sellerName}</strong>, and name this as what it is for:</p>
<p><code>${sessionId}</code></p>
<p>The plan counts as soon as the payment has arrived.</p>`,
    buttons: [],
  };
}

function describeUpgrade(checkout: Checkout): Described {
  return {
    title: `Go on with ${checkout.title}`,
    lead: html`${whatIsBought(checkout)}
<p>What is left of the present plan is set off. About <strong>${due(checkout)}</strong> is charged now, in the way you pay
already. ${taxSentence(checkout.taxBehavior)}</p>`,
    buttons: [{ act: 'confirm', words: 'Confirm and pay' }],
  };
}

function describeCovered(checkout: Checkout): Described {
  const { title, coveredUntil } = checkout;
  return {
    title: `Go on with ${title}`,
    lead: html`${whatIsBought(checkout)}
<p>Nothing is to be paid now: what is left of the present plan pays for it until
<strong>${coveredUntil && dayInWords(coveredUntil)}</strong>.</p>`,
    buttons: [{ act: 'confirm', words: `Go on with ${title}` }],
  };
}

function describeChange(checkout: Checkout): Described {
  const { title, organizationName, countsFrom, isKept } = checkout;
  const plan = html`the plan <strong>${title}</strong>, paid ${every(checkout)}`;
  if (isKept) {
    return {
      title: `Keep ${title}`,
      lead: html`<p><strong>${organizationName}</strong> keeps ${plan}. It does not become what was chosen for the next
period.</p>
<p>Nothing is to be paid now.</p>`,
      buttons: [{ act: 'confirm', words: `Keep ${title}` }],
    };
  }
  return {
    title: `Change to ${title}`,
    lead: html`<p>From <strong>${countsFrom && dayInWords(countsFrom)}</strong> on, <strong>${organizationName}</strong> has ${plan}.
Until then it has what is paid already.</p>
<p>Nothing is to be paid now.</p>`,
    buttons: [{ act: 'confirm', words: `Change to ${title}` }],
  };
}

function describeWaiting({ title, successUrl }: Checkout): Described {
  return {
    title: 'The payment is on its way',
    lead: html`<p>The plan <strong>${title}</strong> counts as soon as the payment is confirmed, which mostly takes some
seconds.</p>
<p><a class="button" href="${successUrl}">Go on</a></p>`,
    buttons: [],
  };
}

function whatIsBought(checkout: Checkout): Html {
  const { organizationName, title, begunPeriod } = checkout;
  return html`<p><strong>${organizationName}</strong> gets the plan <strong>${title}</strong>, paid ${every(checkout)}.</p>
${
  begunPeriod &&
  html`<p>This payment is for ${dayInWords(begunPeriod.start)} to ${dayInWords(begunPeriod.end)}: it includes the days since the last
payment failed.</p>`
}`;
}

function whatIsDue(checkout: Checkout): Html {
  return html`<p>To be paid now: <strong>${due(checkout)}</strong></p>
<p class="hint">${taxSentence(checkout.taxBehavior)}</p>`;
}

function due({ amount, currency }: Checkout): string {
  return formatMoney(amount, currency);
}

function every({ billingCycle }: Checkout): string {
  return billingCycle === 'monthly' ? 'every month' : 'every year';
}

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

function dayInWords(instant: string): Html {
  return html`<time datetime="${instant}">${days.format(new Date(instant))}</time>`;
}

function showButtons({ action, flow }: Shown['form'], buttons: Button[]): Html {
  return html`<form method="post" action="${action}">
${flowField(flow)}
${buttons.map(showButton)}
</form>`;
}

function showButton({ act, words, isQuiet }: Button): Html {
  return html`<button name="act" value="${act}"${isQuiet && html` class="quiet"`}>${words}</button>
`;
}
