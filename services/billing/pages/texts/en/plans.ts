import { type Content, html } from '../../../../../web/html.ts';

/** The plans on sale. */
export const plans = {
  cycle: { label: 'Billing period', monthly: 'Monthly', yearly: 'Yearly' },
  currency: 'Currency',
  yourPlan: 'Your plan',
  per: { monthly: 'a month', yearly: 'a year' },
  saving: (percent: number) => `${percent}% less than paid monthly`,
  scheduled: (end: Content) => html`Yours from ${end} on`,
  acts: {
    pay: (plan: string) => `Pay for ${plan}`,
    keep: (plan: string) => `Keep ${plan}`,
    upgrade: (plan: string) => `Upgrade to ${plan}`,
    change: (plan: string) => `Change to ${plan}`,
    monthly: (plan: string) => `Pay monthly for ${plan}`,
    yearly: (plan: string) => `Pay yearly for ${plan}`,
  },
  terms: {
    noPayments: 'This platform does not take payments. Contact its operator to change your plan.',
    credit: 'More counts at once, and what is left of a paid period is taken off.',
    time: 'Where that is more than the price, the new period is longer.',
    noCredit: `More counts at once and is paid in full: what is left of the present period was paid in another way, and is not
taken off.`,
    less: 'Less counts from the next period on. You see what is due before you pay.',
  },
  included: {
    events: (events: string, days: string) => `${events} events a day, kept for ${days} days`,
    recommendations: (count: string) => `${count} recommendations a day`,
    seats: (seats: string, channels: string) => `${seats} on ${channels}`,
    oneAgent: '1 agent',
    agents: (count: string) => `${count} agents`,
    notifications: (sends: string) => `${sends} notifications a month`,
    mails: (sends: string) => `${sends} mails a month`,
    storage: (stored: string, delivered: string) => `${stored} GB stored, ${delivered} GB delivered a month`,
    content: 'Content service',
    pulse: 'Pulse service',
    people: (members: string, roles: string) => `Up to ${members} members and ${roles} roles`,
    programs: (applications: string, keys: string) => `Up to ${applications} applications and ${keys} API keys`,
  },
  channels: {
    chatapp: 'chat apps',
    photoapp: 'photo apps',
    socialapp: 'social networks',
    microblog: 'microblogs',
    phone: 'telephone',
    email: 'email',
    web: 'the website',
  },
};
