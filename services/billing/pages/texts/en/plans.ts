import { type Content, html } from '../../../../../web/html.ts';

/** The plans on sale. */
export const plans = {
  cycle: { label: 'Billing period', monthly: 'Monthly', yearly: 'Yearly' },
  currency: 'Currency',
  yourPlan: 'Current plan',
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
    credit: 'Upgrades take effect immediately, less the unused part of your current period.',
    time: 'If the unused part is worth more than the price, the new period is longer.',
    noCredit: `Upgrades take effect immediately and are paid in full. The unused part of your current period is not
deducted, because it was paid in another way.`,
    less: 'Downgrades take effect at the end of the period. You see the amount due before you pay.',
  },
  included: {
    events: (events: string, days: string) => `${events} events a day, kept for ${days} days`,
    recommendations: (count: string) => `${count} recommendations a day`,
    seats: (seats: string, channels: string) => `${seats} on ${channels}`,
    oneAgent: '1 agent',
    agents: (count: string) => `${count} agents`,
    notifications: (sends: string) => `${sends} notifications a month`,
    mails: (sends: string) => `${sends} emails a month`,
    storage: (stored: string, delivered: string) => `${stored} GB storage, ${delivered} GB bandwidth a month`,
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
    phone: 'phone',
    email: 'email',
    web: 'the website',
  },
};
