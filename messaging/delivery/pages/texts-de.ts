import { type Html, html } from '../../../web/html.ts';
import type { en } from './texts.ts';

/** The German texts of the log of messages. */
export const de: typeof en = {
  title: 'Nachrichten',
  statuses: {
    queued: 'Wartet',
    sending: 'Wird gesendet',
    sent: 'Gesendet',
    bounced: 'Zurückgewiesen',
    failed: 'Fehlgeschlagen',
    suppressed: 'Gesperrt',
  },
  channels: {
    chatapp: 'Chat-App',
    photoapp: 'Foto-App',
    socialapp: 'Soziales Netzwerk',
    microblog: 'Microblog',
    phone: 'Telefon',
    email: 'E-Mail',
    web: 'Website',
  },
  kinds: {
    mail: 'E-Mail',
    notification: 'Benachrichtigungen',
    ofChannel: (channel) => `Benachrichtigung: ${channel}`,
  },
  none: 'Keine',
  deletedTemplate: (name): Html => html`<bdi>${name}</bdi> (gelöscht)`,
  version: (name, version): Html => html`${name}, Version ${version}`,
  message: {
    idName: 'Nachrichten-ID',
    facts: {
      title: 'Angaben',
      template: 'Vorlage',
      locale: 'Sprache',
      attempts: 'Versuche',
      nextAttempt: 'Nächster Versuch',
      accepted: 'Angenommen',
      sent: 'Gesendet',
      notSent: 'Nicht gesendet',
      resentFrom: 'Wiederholt',
      resentAs: 'Erneut gesendet als',
      showFailed: 'Die fehlgeschlagene Nachricht',
      showNew: 'Die neue Nachricht',
    },
    timeline: {
      title: 'Ablauf',
      next: 'Nächster Versuch',
      until: 'Der Versand wird bis zu 24\u00a0Stunden lang versucht.',
    },
    resend: {
      act: 'Erneut senden',
      question: 'Diese Nachricht erneut senden?',
      consequence:
        'Eine neue Nachricht mit demselben Inhalt geht an denselben Empfänger. Sie verbraucht eine Einheit des Tarifs.',
      lacks: (permission): Html =>
        html`Um sie erneut zu senden, braucht Ihre Rolle die Berechtigung <code>${permission}</code>.`,
      done: 'Diese neue Nachricht wiederholt die fehlgeschlagene.',
    },
  },
};
