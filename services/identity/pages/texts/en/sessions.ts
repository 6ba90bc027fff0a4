import { type Html, html } from '../../../../../web/html.ts';

/** The page of the sessions. */
export const sessions = {
  title: 'Sessions',
  lead: 'These browsers are logged in to your account. If you do not know one, end its session and change your password.',
  current: 'This browser',
  origin: (address: string, time: Html) => html`From ${address || 'an unknown address'}, logged in ${time}`,
  lastUsed: (time: Html) => html`Last used ${time}`,
  end: 'End session',
  nameOfEnd: (device: string, time: string) => `End session: ${device}, logged in ${time}`,
  onlyNewest: (count: string) => `Showing the ${count} newest sessions.`,
  endOthers: 'End all other sessions',
  confirmation: {
    question: 'End all other sessions?',
    consequence: 'This logs you out of all other browsers.',
    confirm: 'End all others',
  },
  notices: {
    ended: 'Session ended.',
    'others-ended': 'All other sessions ended.',
  },
};

/** The page of the applications that may act for the user. */
export const applications = {
  title: 'Applications',
  lead: 'These applications can access your account. An application whose access you remove has to ask you again.',
  none: 'No applications have access to your account.',
  usedSince: (organization: string, time: Html) => html`By ${organization}, part of this platform, used since ${time}`,
  allowed: (organization: string, time: Html) => html`By ${organization}, allowed ${time}`,
  scopes: 'It can:',
  withdraw: 'Remove access',
  notices: { withdrawn: 'Access removed.' },
};
