import { type Html, html } from '../../../../../web/html.ts';

/** The page of the sessions. */
export const sessions = {
  title: 'Sessions',
  lead: 'These browsers are logged in as you. If you do not know one, end its session and change your password.',
  current: 'This browser',
  origin: (address: string, time: Html) => html`From ${address || 'an unknown address'}, logged in ${time}`,
  lastUsed: (time: Html) => html`Last used ${time}`,
  end: 'End it',
  nameOfEnd: (device: string, time: string) => `End it: ${device}, logged in ${time}`,
  onlyNewest: (count: string) => `These are the ${count} newest.`,
  endOthers: 'End all other sessions',
  confirmation: {
    question: 'End all other sessions?',
    consequence: 'Every browser but this one is logged out.',
    confirm: 'End all others',
  },
  notices: {
    ended: 'That browser is logged out.',
    'others-ended': 'All other browsers are logged out.',
  },
};

/** The page of the applications that may act for the user. */
export const applications = {
  title: 'Applications',
  lead: 'These applications may act for you. What you take away from one, it has to ask you for again.',
  none: 'You have allowed no application anything.',
  usedSince: (organization: string, time: Html) => html`Of ${organization}, part of this platform, used since ${time}`,
  allowed: (organization: string, time: Html) => html`Of ${organization}, allowed ${time}`,
  scopes: 'It may:',
  withdraw: 'Withdraw',
  notices: { withdrawn: 'The application may do nothing for you any more.' },
};
