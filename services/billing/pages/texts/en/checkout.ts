import { type Content, html } from '../../../../../web/html.ts';

type Cycle = 'monthly' | 'yearly';

const every: Record<Cycle, string> = { monthly: 'every month', yearly: 'every year' };

/** The checkouts of the platform itself. */
export const checkout = {
  pay: (plan: string) => `Pay for ${plan}`,
  goOn: (plan: string) => `Go on with ${plan}`,
  keep: (plan: string) => `Keep ${plan}`,
  change: (plan: string) => `Change to ${plan}`,
  goBack: 'Go back',
  summary: {
    label: 'Order summary',
    organization: 'Organization',
    plan: 'Plan',
    terms: (plan: string, cycle: Cycle) => `${plan}, paid ${every[cycle]}`,
    period: 'Period',
    span: (start: Content, end: Content) => html`${start} to ${end}`,
    price: 'Price',
    proration: 'Proration',
    prorationHint: 'the unused part of your present plan, and the part of the period that has passed',
    due: 'Due now',
    tax: (name: string, rate: string) => `${name} ${rate}% included`,
    renewal: 'Renewal',
    renews: (day: Content, price: string) => html`On ${day} for ${price}, until you cancel`,
  },
  begun: 'This payment is for a period that has begun: it includes the days since the last payment failed.',
  test: {
    banner: 'Test payment: no money moves, whatever you choose.',
    pay: (amount: string) => `Pay ${amount}`,
    outcomes: 'Test outcomes',
    outcomesLead: 'Try what happens when a payment does not go through.',
    failRenewals: 'Pay, but let renewals fail',
    challenge: 'Have the bank ask first',
    decline: 'Have the payment refused',
    declined: 'The payment was refused. Nothing was paid: try again, or pay in another way.',
    failed: 'The bank did not recognise you. Nothing was paid: try again.',
    isItYou: 'Is it you who pays?',
    bankAsks: (amount: string, seller: string) =>
      html`The bank of this page for trying payments asks whether it is you who pays <strong>${amount}</strong>
to <strong>${seller}</strong>.`,
    yes: 'Yes, pay',
    no: 'No, it is not me',
  },
  transfer: {
    lead: (seller: string) => html`Transfer it to <strong>${seller}</strong>, and name this as what it is for:`,
    reference: 'reference',
    counts: 'The plan counts as soon as the payment has arrived.',
  },
  upgrade: {
    lead: (amount: string) =>
      html`What is left of the present plan is set off. About <strong>${amount}</strong> is charged now, in the way you pay
already.`,
    confirm: 'Confirm and pay',
  },
  covered: (until: Content) => html`Nothing is to be paid now: what is left of the present plan pays for it until
<strong>${until}</strong>.`,
  nothingDue: 'Nothing is to be paid now.',
  plan: (plan: string, cycle: Cycle) => html`the plan <strong>${plan}</strong>, paid ${every[cycle]}`,
  kept: (organization: string, plan: Content) =>
    html`<strong>${organization}</strong> keeps ${plan}. It does not become what was chosen for the next
period.`,
  changes: (from: Content, organization: string, plan: Content) =>
    html`From <strong>${from}</strong> on, <strong>${organization}</strong> has ${plan}.
Until then it has what is paid already.`,
  waiting: {
    title: 'The payment is on its way',
    lead: (plan: string) =>
      html`The plan <strong>${plan}</strong> counts as soon as the payment is confirmed, which mostly takes some
seconds.`,
  },
  goOnLink: 'Go on',
  chooseButton: 'Choose one of the buttons.',
  ended: {
    paid: { title: 'Paid', words: (organization: string, plan: string) => `${organization} has the plan ${plan}.` },
    confirmed: { title: 'Confirmed', words: 'This change is confirmed.' },
    expired: {
      title: 'This checkout has expired',
      words: 'It took too long, and nothing was paid. Choose the plan again to begin anew.',
    },
    closed: {
      title: 'This checkout is closed',
      words: 'Another one has taken its place, or it was given up. Nothing was paid with this one.',
    },
  },
};
