import { catalogue } from '../../../web/catalogue.ts';
import { type Html, html } from '../../../web/html.ts';

/** The English texts of the mailbox for development, and of the page to unsubscribe. */
const en = {
  mailbox: {
    title: 'Mailbox',
    explanation: html`This mailbox is for development. It keeps the email of the platform instead of sending it. Only
browsers on this machine can open this page. To send email, set <code>SMTP_URL</code>.`,
    notifications: 'Notifications',
    empty: 'No email yet.',
    none: (address: string) => `No email to ${address}.`,
    columns: { subject: 'Subject', to: 'To', sent: 'Sent' },
    filter: { label: 'To', submit: 'Filter', clear: 'Show all' },
    older: 'Older email',
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
    question: (address: string) =>
      `Stop news and offers to ${address}? You still get email about your orders and account.`,
    submit: 'Unsubscribe',
    doneTitle: 'You are unsubscribed',
    done: (address: string) => `You won’t get marketing email at ${address} any more.`,
  },
};

/** The texts of the mailbox for development, and of the page to unsubscribe. */
export const texts = catalogue({ en });
