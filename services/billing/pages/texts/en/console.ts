import { type Content, html } from '../../../../../web/html.ts';

/** The billing page, without its plans and the state of the subscription. */
export const console = {
  title: (organization: string) => `Billing for ${organization}`,
  billing: 'Billing',
  choose: 'Choose an organization.',
  none: 'You cannot view the billing of any organization. Ask an owner of your organization for access.',
  notAllowed: 'You cannot view the billing of this organization. Ask an owner of the organization for access.',
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
  cancelHint: (plan: string) => `You keep ${plan} until the end of the period you paid for.`,
  invoices: {
    columns: { invoice: 'Invoice', date: 'Date', status: 'Status', amount: 'Amount' },
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
  usage: {
    unpaid: 'You can use your plan again when it is paid.',
    amount: (used: string, limit: string, unit: string | undefined) => `${used} of ${limit}${unit ? ` ${unit}` : ''}`,
    usedUp: 'Used up',
    dailyReset: (at: Content) => html`Daily limits reset on ${at}.`,
    monthlyReset: (at: Content) => html`Monthly limits reset on ${at}.`,
    notIncluded: (meters: string) => `Not included: ${meters}.`,
    meters: {
      'context.eventsPerDay': { name: 'Events today' },
      'intelligence.recommendationsPerDay': { name: 'Recommendations today' },
      'notification.sendsPerMonth': { name: 'Notifications this month' },
      'mail.sendsPerMonth': { name: 'Emails this month' },
      'storage.bandwidthGbPerMonth': { name: 'Bandwidth this month', unit: 'GB' },
      'storage.storageGb': { name: 'Storage', unit: 'GB' },
      'connect.agentSeats': { name: 'Agent seats' },
    },
  },
};
