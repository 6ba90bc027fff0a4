import { html } from '../web/html.ts';
import type { en } from './texts.ts';

/** The German texts of the page at the platform's address. */
export const de: typeof en = {
  front: {
    title: 'Start',
    pages: 'Seiten',
    start: 'Hier beginnen',
    docs: 'Doku',
    logIn: 'Anmelden',
    register: 'Konto erstellen',
    closed: {
      mail: 'Neue Konten können hier zurzeit nicht erstellt werden, weil diese Plattform keine E-Mails sendet.',
      invitation:
        'Für ein neues Konto brauchen Sie eine Einladung. Fragen Sie einen Inhaber oder Administrator Ihrer Organisation.',
    },
    heading: 'Konten, Abrechnung, Dateien und Nachrichten hinter einer API',
    lede: (name) =>
      `${name} bietet Anmeldung und Organisationen, Berechtigungen, Tarife und Rechnungen, Dateien, E-Mails, Benachrichtigungen, Kundenverläufe und Website-Chat. Jeder Dienst hat eine REST-API, und alle teilen sich eine Konsole.`,
    request: 'Anfrage',
    answer: 'Antwort',
    needsNoKey: html`Diese Anfrage braucht keinen Schlüssel. Die nächsten finden Sie unter <a href="/docs/start">Erste Schritte</a>.`,
    doors: {
      console: { name: 'Konsole', words: 'Benutzer, Rollen, Schlüssel, Dateien, E-Mails, Verläufe, Abrechnung' },
      docs: { name: 'Dokumentation', words: 'Schnellstart mit curl, Express und Next.js sowie Anleitungen' },
      reference: { name: 'API-Referenz', words: 'Jeder Endpunkt mit Beispielen, zum Ausprobieren auf der Seite' },
      openapi: { name: 'API-Beschreibung', words: 'OpenAPI 3.1, für Generatoren und Werkzeuge' },
      openid: { name: 'OpenID-Discovery', words: 'Für OAuth-Bibliotheken' },
    },
    services: {
      title: 'Dienste',
      list: {
        identity: 'Anmeldung, Benutzer und API-Schlüssel',
        access: 'Rollen und Berechtigungen',
        billing: 'Tarife und Rechnungen',
        context: 'Ereignisse und Kundenverläufe',
        storage: 'Dateien und Bilder',
        mail: 'E-Mails aus Vorlagen',
        notification: 'Chat-Apps und SMS',
        connect: 'Website-Chat',
      },
    },
  },
};
