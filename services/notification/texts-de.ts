import { html } from '../../web/html.ts';
import type { en } from './texts.ts';

const moment = new Intl.DateTimeFormat('de-DE', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

/** The German texts of the notification service itself. */
export const de: typeof en = {
  test: {
    subject: (brand) => `Testnachricht von ${brand}`,
    text: (brand) => `Dies ist eine Testnachricht von ${brand}. Der Kanal funktioniert.`,
  },
  mailbox: {
    title: 'Benachrichtigungen',
    explanation: html`Benachrichtigungen, die über den Anbieter <code>mailbox</code> gesendet wurden. Sie werden hier
aufbewahrt, statt gesendet zu werden. Nur Browser auf diesem Rechner können diese Seite öffnen.`,
    empty: 'Noch keine Benachrichtigungen.',
    columns: { message: 'Nachricht', channel: 'Kanal', to: 'An', sent: 'Gesendet' },
    older: 'Ältere Benachrichtigungen',
    time: (instant) => moment.format(new Date(instant)),
    toMail: 'E-Mails',
    about: (to, channel, time) => html`An ${to} über ${channel}, ${time}`,
    html: 'HTML-Quelltext',
    back: 'Zurück zu den Benachrichtigungen',
  },
};
