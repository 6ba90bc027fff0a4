import { type Html, html } from '../../../../web/html.ts';

/** The English texts of the mailbox for development. */
export const en = {
  mailbox: {
    title: 'Mailbox',
    explanation: html`This page exists in development only: mail that the platform writes stays here instead of
being sent. Only browsers on this machine can open it. Set <code>SMTP_URL</code> to send mail.`,
    empty: 'No mail yet.',
    none: (address: string) => `No mail to ${address}.`,
    columns: { subject: 'Subject', to: 'To', sent: 'Sent' },
    filter: { label: 'To', submit: 'Filter', clear: 'Show all' },
    older: 'Older mail',
  },
  message: {
    sent: (to: string, time: Html): Html => html`To ${to}, ${time}`,
    toHtml: 'See it as HTML',
    toMailbox: 'All mail',
  },
  timeInUtc: (time: string): string => `${time} UTC`,
};
