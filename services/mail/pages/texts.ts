import { catalogue } from '../../../web/catalogue.ts';
import { type Html, html } from '../../../web/html.ts';
import { de } from './texts-de.ts';

/** The English texts of the mailbox for development, and of the page to unsubscribe. */
export const en = {
  mailbox: {
    title: 'Mailbox',
    explanation: html`This mailbox is for development. It keeps the email of the platform instead of sending it. Only
browsers on this machine can open this page. To send email, set <code>SMTP_URL</code>.`,
    notifications: 'Notifications',
    empty: 'No email yet.',
    none: (address: string) => `No email to ${address}.`,
    columns: { subject: 'Subject', to: 'To', sent: 'Sent' },
    filter: 'To',
    older: 'Older email',
    time: (instant: string) => instant.slice(0, 19).replace('T', ' '),
  },
  message: {
    sent: (to: string, time: Html): Html => html`To ${to}, ${time}`,
    status: (status: string) => `Status: ${status}`,
    desktop: 'Desktop width',
    phone: 'Phone width',
    text: 'Plain text',
    headers: 'Headers',
    source: 'Source',
    attachments: 'Attachments',
    toHtml: 'View as HTML',
    toMailbox: 'Back to mailbox',
  },
  unsubscribe: {
    title: 'Unsubscribe',
    question: (sender: string, address: string) =>
      `Stop news and offers from ${sender} to ${address}? You still get email about your orders and account.`,
    submit: 'Unsubscribe',
    doneTitle: 'You are unsubscribed',
    done: (sender: string, address: string) => `You won’t get marketing email from ${sender} at ${address} any more.`,
    undo: 'Undo',
    undoneTitle: 'You are subscribed again',
    undone: (sender: string, address: string) => `You get news and offers from ${sender} at ${address}.`,
  },
};

export const byLanguage = { en, de };

/** The texts of the mailbox for development, and of the page to unsubscribe. */
export const texts = catalogue(byLanguage);
