import { type Content, html } from '../../../../../web/html.ts';

type Cycle = 'monthly' | 'yearly';

/** The checkouts of the platform itself. */
export const checkout = {
  pay: (plan: string) => `Pay for ${plan}`,
  goOn: (plan: string) => `Continue with ${plan}`,
  keep: (plan: string) => `Keep ${plan}`,
  change: (plan: string) => `Change to ${plan}`,
  goBack: 'Go back',
  summary: {
    label: 'Order summary',
    organization: 'Organization',
    plan: 'Plan',
    terms: (plan: string, cycle: Cycle) => `${plan}, paid ${cycle}`,
    period: 'Period',
    span: (start: Content, end: Content) => html`${start} to ${end}`,
    price: 'Price',
    proration: 'Proration',
    prorationHint: 'for the unused part of your current plan and the part of the period that has passed',
    due: 'Due now',
    tax: (name: string, rate: string) => `${name} ${rate}% included`,
    renewal: 'Renewal',
    renews: (day: Content, price: string) => html`On ${day} for ${price}, until you cancel`,
  },
  begun: 'This period has already started. The payment includes the days since the last payment failed.',
  test: {
    banner: 'Test payment: you will not be charged, whatever you choose.',
    pay: (amount: string) => `Pay ${amount}`,
    outcomes: 'Test outcomes',
    outcomesLead: 'See what happens when a payment fails.',
    failRenewals: 'Pay, but decline renewals',
    challenge: 'Require bank confirmation',
    decline: 'Decline the payment',
    declined: 'Your payment was declined. You have not been charged. Try again, or use another payment method.',
    failed: 'Your bank did not confirm the payment. You have not been charged. Try again.',
    isItYou: 'Confirm your payment',
    bankAsks: (amount: string, seller: string) =>
      html`The bank of this test page asks you to confirm the payment of <strong>${amount}</strong> to
<strong>${seller}</strong>.`,
    yes: 'Confirm',
    no: 'Reject',
  },
  transfer: {
    lead: (seller: string) => html`Transfer the amount to <strong>${seller}</strong> with this reference:`,
    reference: 'reference',
    counts: 'The plan starts when the payment arrives.',
  },
  upgrade: {
    lead: (amount: string) =>
      html`The unused part of your current plan is deducted. About <strong>${amount}</strong> is charged to your current
payment method now.`,
    confirm: 'Confirm and pay',
  },
  covered: (until: Content) => html`Nothing is due now. The unused part of your current plan covers the cost until
<strong>${until}</strong>.`,
  nothingDue: 'Nothing is due now.',
  plan: (plan: string, cycle: Cycle) => html`<strong>${plan}</strong>, paid ${cycle}`,
  kept: (organization: string, plan: Content) =>
    html`<strong>${organization}</strong> keeps ${plan}. The change that was planned for the next period is
cancelled.`,
  changes: (from: Content, organization: string, plan: Content) =>
    html`<strong>${organization}</strong> changes to ${plan}, on <strong>${from}</strong>. It keeps its current plan until
then.`,
  waiting: {
    title: 'Your payment is being processed',
    lead: (plan: string) =>
      html`The plan <strong>${plan}</strong> starts when the payment is confirmed. This usually takes a few
seconds.`,
  },
  goOnLink: 'Continue',
  chooseButton: 'Choose one of the buttons.',
  ended: {
    paid: { title: 'Paid', words: (organization: string, plan: string) => `${organization} is on the ${plan} plan.` },
    confirmed: { title: 'Confirmed', words: 'This change is confirmed.' },
    expired: {
      title: 'This checkout has expired',
      words: 'You have not been charged. Choose the plan again to start over.',
    },
    closed: {
      title: 'This checkout is closed',
      words: 'It was cancelled, or another checkout replaced it. You have not been charged for this one.',
    },
  },
};
