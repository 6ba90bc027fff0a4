import { catalogue } from '../../web/catalogue.ts';
import { type Html, html } from '../../web/html.ts';
import { de } from './texts-de.ts';

/** The English texts of the notification service itself. */
export const en = {
  test: {
    subject: (brand: string) => `Test message of ${brand}`,
    text: (brand: string) => `This is a test message of ${brand}. The channel works.`,
  },
  mailbox: {
    title: 'Notifications',
    explanation: html`Notifications that were sent through the provider <code>mailbox</code>. They are kept here instead
of being sent. Only browsers on this machine can open this page.`,
    empty: 'No notifications yet.',
    columns: { message: 'Message', channel: 'Channel', to: 'To', sent: 'Sent' },
    older: 'Older notifications',
    time: (instant: string) => instant.slice(0, 19).replace('T', ' '),
    toMail: 'Email',
    about: (to: string, channel: string, time: Html): Html => html`To ${to} on ${channel}, ${time}`,
    html: 'HTML source',
    back: 'Back to notifications',
  },
};

/** The texts of the notification service itself. */
export const texts = catalogue({ en, de });
