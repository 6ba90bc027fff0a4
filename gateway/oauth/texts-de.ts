import { type Html, html } from '../../web/html.ts';
import type { en } from './texts.ts';

/** The German texts of the pages of OAuth. */
export const de: typeof en = {
  consent: {
    title: (application) => `Zugriff für ${application} erlauben`,
    heading: (application) => `${application} den Zugriff auf Ihr Konto erlauben?`,
    request: ({ application, organization, email }): Html =>
      html`<strong>${application}</strong> von <strong>${organization}</strong> möchte auf Ihr Konto (${email})
zugreifen. Das umfasst:`,
    bounds: (organization): Html =>
      html`In ${organization} ist dabei nur möglich, was Ihre Rolle erlaubt. Auf andere Organisationen besteht kein
Zugriff.`,
    removal: html`Sie können den Zugriff jederzeit in <a href="/account">Ihrem Konto</a> entfernen.`,
    allow: 'Erlauben',
    deny: 'Ablehnen',
  },
  account: {
    title: 'Konto auswählen',
    heading: 'Konto auswählen',
    request: ({ application, organization }): Html =>
      html`um mit <strong>${application}</strong> von <strong>${organization}</strong> fortzufahren`,
    current: (email) => `Als ${email} fortfahren`,
    other: 'Anderes Konto verwenden',
  },
  logout: {
    title: 'Abmelden',
    heading: 'Abmelden?',
    askedBy: (application): Html => html`<strong>${application}</strong> möchte Sie abmelden.`,
    asked: 'Sie sind dabei, sich abzumelden.',
    effect:
      'Damit werden Sie in diesem Browser von der Plattform und von den Anwendungen abgemeldet, die Sie mit ihr nutzen.',
    confirm: 'Abmelden',
    cancel: 'Angemeldet bleiben',
  },
  loggedOut: {
    title: 'Abgemeldet',
    heading: 'Sie sind abgemeldet',
    next: html`Sie können dieses Fenster schließen oder sich <a href="/self-service/login/browser">erneut anmelden</a>.`,
  },
  errors: {
    title: 'Etwas ist schiefgegangen',
    byCode: {
      invalid_client: 'Die Anwendung, von der Sie kommen, ist unbekannt oder wurde entfernt.',
      invalid_redirect_uri:
        'Die Anwendung wollte Sie an eine Adresse weiterleiten lassen, die sie nicht registriert hat.',
      invalid_request: 'Die Anfrage der Anwendung, von der Sie kommen, ist ungültig oder abgelaufen.',
      server_error: 'Bei uns ist ein Problem aufgetreten. Versuchen Sie es gleich noch einmal.',
    },
    other: 'Wir konnten die Anfrage der Anwendung, von der Sie kommen, nicht ausführen.',
    next: 'Gehen Sie zurück zur Anwendung und beginnen Sie von vorn. Wenn das Problem weiterhin auftritt, wenden Sie sich an ihren Entwickler.',
    forDevelopers: (code, description): Html =>
      html`Angaben für den Entwickler: <code>${code}</code>${description && html`, ${description}`}`,
  },
};
