import { catalogue } from '../../../web/catalogue.ts';
import { type Content, html } from '../../../web/html.ts';
import { de } from './texts-de.ts';

/** The page that asks whether to cancel. */
const cancellation = {
  title: (plan: string) => `Cancel ${plan}`,
  atOnce: 'Your plan ends now and you move to Free. We drop the unpaid amount.',
  atEnd: (plan: string, end: Content) =>
    html`You keep ${plan} until ${end} and move to Free after that. You will not be charged again. You can resume
${plan} until then.`,
  reason: 'Why are you cancelling?',
  reasonHint: 'We read every answer.',
  keep: (plan: string) => `Keep ${plan}`,
};

type Cycle = 'monthly' | 'yearly';

/** The checkouts of the platform itself. */
const checkout = {
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

/** The page of usage and billing, without its plans and the state of the subscription. */
const console = {
  readOnly: 'You can view billing but not change it. Ask an owner of the organization.',
  noChange: 'You do not have permission to change billing. Ask an owner of the organization.',
  notices: {
    'checked-out':
      'Thank you. Your order is complete. A payment that is still being confirmed appears here in a moment.',
    'given-up': 'Checkout cancelled. You have not been charged.',
    cancelled: 'Your subscription was cancelled.',
    resumed: 'Your subscription was resumed.',
  },
  headings: { plan: 'Plan', plans: 'Plans', usage: 'Usage', invoices: 'Invoices', cancel: 'Cancel' },
  cancel: (plan: string, href: string) => html`You can <a href="${href}">cancel ${plan}</a> at any time.`,
  cancelHint: (plan: string) => `You keep ${plan} until the end of the period you paid for.`,
  cancelHintOfGiven: (plan: string) => `You keep ${plan} until the end of the current period.`,
  invoices: {
    columns: { invoice: 'Invoice', date: 'Date', status: 'Status', amount: 'Amount', act: 'Change' },
    statuses: {
      draft: 'Draft',
      open: 'Open',
      paid: 'Paid',
      void: 'Void',
      uncollectible: 'Unpaid',
    },
    pdf: (number: string) => `PDF of invoice ${number}`,
    unnumbered: 'without a number',
    due: (day: Content) => html`due ${day}`,
    none: 'No invoices yet.',
    older: 'Older invoices',
  },
  history: {
    title: 'Usage history',
    label: 'Time',
    views: { days: 'Last 30 days', months: 'Last 12 months' },
    titles: { days: (meter: string) => `${meter} by day`, months: (meter: string) => `${meter} by month` },
    totals: { days: (total: string) => `${total} in 30 days`, months: (total: string) => `${total} in 12 months` },
    summaries: {
      days: (meter: string, total: string, today: string) =>
        `${meter} by day: ${total} in 30 days, ${today} today so far.`,
      months: (meter: string, total: string, present: string) =>
        `${meter} by month: ${total} in 12 months, ${present} this month so far.`,
    },
    limit: (limit: string) => `Limit ${limit}`,
    unused: {
      days: (meters: string) => `Not used in the last 30 days: ${meters}.`,
      months: (meters: string) => `Not used in the last 12 months: ${meters}.`,
    },
    byMonth: 'Days are in UTC. What is limited by month is counted by month.',
    meters: {
      'context.eventsPerDay': 'Events',
      'notification.sendsPerMonth': 'Notifications',
      'mail.sendsPerMonth': 'Emails',
      'storage.bandwidthGbPerMonth': 'Bandwidth',
    },
  },
  usage: {
    unpaid: 'You can use your plan again when it is paid.',
    amount: (used: string, limit: string) => html`<b>${used}</b> of ${limit}`,
    usedUp: 'Used up',
    dailyReset: (at: Content) => html`Daily limits reset on ${at}.`,
    monthlyReset: (at: Content) => html`Monthly limits reset on ${at}.`,
    notIncluded: (meters: string) => `Not included: ${meters}.`,
    /** The name of a meter within a sentence. */
    inSentence: (name: string) => name.toLowerCase(),
    declared: {
      day: (name: string) => `${name} today`,
      month: (name: string) => `${name} this month`,
      gauge: (name: string) => name,
    },
    meters: {
      'context.eventsPerDay': 'Events today',
      'notification.sendsPerMonth': 'Notifications this month',
      'mail.sendsPerMonth': 'Emails this month',
      'storage.bandwidthGbPerMonth': 'Bandwidth this month',
      'storage.storageGb': 'Storage',
      'connect.agentSeats': 'Agent seats',
    },
    /** `isCounted`: the name is a plural. `until`: when the limit resets; null for one that never does. */
    nearLimit: {
      used: (percent: number, name: string, isCounted: boolean) =>
        `${percent}% of ${name} ${isCounted ? 'are' : 'is'} used.`,
      near: (until: Content) => html`Requests beyond the limit are refused${until && html` until ${until}`}.`,
      over: (until: Content, isCounted: boolean) =>
        html`More ${isCounted ? 'are' : 'is'} refused${until && html` until ${until}`}.`,
      plans: 'See plans',
    },
  },
};

/** The plans on sale. */
const plans = {
  cycle: { label: 'Billing period', monthly: 'Monthly', yearly: 'Yearly' },
  currency: 'Currency',
  yourPlan: 'Current plan',
  descriptions: {
    free: 'To try the platform, and for small sites.',
    pro: 'For growing teams.',
    scale: 'For large teams and high volume.',
  },
  per: { monthly: 'a month', yearly: 'a year' },
  saving: (percent: number) => `Save ${percent}% compared to paying monthly`,
  scheduled: (end: Content) => html`Starts on ${end}`,
  acts: {
    pay: (plan: string) => `Pay for ${plan}`,
    keep: (plan: string) => `Keep ${plan}`,
    upgrade: (plan: string) => `Upgrade to ${plan}`,
    change: (plan: string) => `Change to ${plan}`,
    monthly: (plan: string) => `Pay monthly for ${plan}`,
    yearly: (plan: string) => `Pay yearly for ${plan}`,
  },
  terms: {
    noPayments: 'This platform does not accept payments. To change your plan, contact its operator.',
    credit: 'Upgrades start now. We credit what is left of your current period.',
    time: 'If the unused part is worth more than the price, the new period is longer.',
    noCredit: `Upgrades start now and are paid in full. The unused part of your current period is not
deducted, because it was paid in another way.`,
    less: 'Downgrades take effect at the end of the period. You see the amount due before you pay.',
  },
  included: {
    events: 'Events a day',
    eventsKept: 'Events kept',
    days: (days: number) => `${days} days`,
    years: (years: number) => (years === 1 ? '1 year' : `${years} years`),
    mails: 'Emails a month',
    notifications: 'Notifications a month',
    storage: 'Storage',
    bandwidth: 'Bandwidth a month',
    seats: 'Agent seats',
    members: 'Members',
    roles: 'Roles',
    applications: 'Applications',
    apiKeys: 'API keys',
    declared: {
      day: (name: string) => `${name} a day`,
      month: (name: string) => `${name} a month`,
      gauge: (name: string) => name,
      count: (name: string) => name,
    },
  },
};

const cost = (price: string | null) => (price === null ? '' : ` for ${price}`);

/** The state of a subscription, and what follows from it. */
const subscription = {
  /** Such as `€49 a month`. */
  price: (money: string, cycle: Cycle) => `${money} ${plans.per[cycle]}`,
  tags: {
    active: null,
    trialing: 'Not paid yet',
    past_due: 'Payment failed',
    incomplete: 'Waiting for payment',
    expired: 'Expired',
    canceled: 'Ended',
  },
  cancelledTag: 'Cancelled',
  cancelled: (plan: string, end: Content) => html`Cancelled. You keep ${plan} until ${end} and
move to Free after that. You will not be charged again.`,
  paymentFailed: 'The last payment failed.',
  pastDue: (deadline: Content) =>
    html`The last payment failed. Your plan keeps working${deadline && html` until ${deadline}`}. After that, you can
only pay or cancel.`,
  expired: (deadline: Content) =>
    html`Your plan is suspended because it was not paid. Pay for a plan below, or cancel to move to Free immediately.
${deadline && html`Otherwise you move to Free on ${deadline}.`}`,
  incomplete: (deadline: Content) =>
    html`The first payment is not complete. You have what Free includes until it arrives.
${deadline && html`The payment expires on ${deadline}.`}`,
  ended: 'This plan has ended.',
  becomes: (plan: string, cycle: Cycle, end: Content, price: string | null) =>
    html`Changes to ${plan}, paid ${cycle}, on ${end}${cost(price)}.`,
  renews: (end: Content) => html`Renews on ${end}.`,
  trialing: 'You can use your plan now. The payment is still due.',
  charging: 'The payment for this period is being processed.',
  free: 'Free, with no end date.',
  given: 'Free of charge.',
  change: 'Change plan',
  resume: (plan: string) => `Resume ${plan}`,
};

/** The page of operators about the plan of an organization. */
const operator = {
  notices: { given: 'The organization has the plan.', paid: 'The invoice is paid.' },
  give: {
    title: 'Give a plan',
    words: 'The organization has it at once and free of charge. A subscription that it pays ends.',
    label: 'Plan',
    plans: { free: 'Free', pro: 'Pro', scale: 'Scale' },
    submit: 'Give plan',
  },
  pay: {
    submit: 'Mark paid',
    question: (number: string) => `Mark invoice ${number} as paid?`,
    consequence: (amount: string) => `You received ${amount} outside of the payment provider. The subscription renews.`,
    confirm: 'Mark paid',
  },
};

/** The texts of billing's pages in English. */
/** The note below prices, by their tax behavior. */
const taxes = { inclusive: 'Prices include all taxes.' };

export const en = { cancellation, checkout, console, operator, plans, subscription, taxes };

/** The texts of billing's pages. */
export const texts = catalogue({ en, de });
