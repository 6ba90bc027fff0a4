import { html } from '../../../web/html.ts';
import type { en } from './texts.ts';

const moment = new Intl.DateTimeFormat('de-DE', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

/** The German texts of the mailbox for development, and of the page to unsubscribe. */
export const de: typeof en = {
  mailbox: {
    title: 'Postfach',
    explanation: html`Dieses Postfach dient der Entwicklung. Es behält die E-Mails der Plattform, statt sie zu senden. Nur
Browser auf diesem Rechner können diese Seite öffnen. Um E-Mails zu senden, setzen Sie <code>SMTP_URL</code>.`,
    notifications: 'Benachrichtigungen',
    empty: 'Noch keine E-Mails.',
    none: (address) => `Keine E-Mails an ${address}.`,
    columns: { subject: 'Betreff', to: 'An', sent: 'Gesendet' },
    filter: 'An',
    older: 'Ältere E-Mails',
    time: (instant) => moment.format(new Date(instant)),
  },
  message: {
    sent: (to, time) => html`An ${to}, ${time}`,
    status: (status) => `Status: ${status}`,
    desktop: 'Breite eines Desktops',
    phone: 'Breite eines Smartphones',
    text: 'Textfassung',
    headers: 'Kopfzeilen',
    source: 'Quelltext',
    attachments: 'Anhänge',
    toHtml: 'Als HTML anzeigen',
    toMailbox: 'Zurück zum Postfach',
  },
  unsubscribe: {
    title: 'Abbestellen',
    question: (sender, address) =>
      `Möchten Sie keine Neuigkeiten und Angebote von ${sender} an ${address} mehr erhalten? E-Mails zu Ihren Bestellungen und Ihrem Konto erhalten Sie weiterhin.`,
    submit: 'Abbestellen',
    doneTitle: 'Sie haben abbestellt',
    done: (sender, address) => `Sie erhalten keine Werbe-E-Mails von ${sender} an ${address} mehr.`,
    undo: 'Rückgängig machen',
    undoneTitle: 'Sie haben wieder abonniert',
    undone: (sender, address) => `Sie erhalten Neuigkeiten und Angebote von ${sender} an ${address}.`,
  },
};
