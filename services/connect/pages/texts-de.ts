import { type Content, html } from '../../../web/html.ts';
import type { en } from './texts.ts';

type Texts = typeof en;

/** The inbox, in German. */
const inbox: Texts['inbox'] = {
  title: 'Posteingang',
  tab: (title, unread) => (unread === '' ? title : `(${unread}) ${title}`),
  noAgent: {
    title: 'Sie sind kein Bearbeiter dieser Organisation',
    words: 'Bearbeiter lesen und beantworten die Unterhaltungen ihrer Websites.',
    add: 'Zu den Bearbeitern',
    ask: 'Bitten Sie einen Inhaber der Organisation, Sie zum Bearbeiter zu machen.',
  },
  conversations: 'Unterhaltungen',
  customer: 'Kunde',
  unnamed: 'Besucher',
  filters: {
    status: 'Status',
    statuses: { open: 'Offen', pending: 'Wartend', closed: 'Geschlossen', all: 'Alle' },
    assignee: 'Bearbeiter',
    assignees: { all: 'Alle', me: 'Meine', none: 'Freie' },
    website: 'Website',
    everyWebsite: 'Alle Websites',
    apply: 'Anzeigen',
  },
  empty: 'Hier sind keine Unterhaltungen.',
  emptyFirst: (link: Content) =>
    html`Noch keine Unterhaltungen. Binden Sie das Widget in Ihre ${link} ein, um die erste zu erhalten.`,
  emptyLink: 'Website',
  older: 'Ältere Unterhaltungen',
  unread: (count) => (count === 1 ? '1 ungelesene Nachricht' : `${count} ungelesene Nachrichten`),
  unassigned: 'Nicht zugewiesen',
  pick: 'Wählen Sie eine Unterhaltung.',
  back: 'Zurück zum Posteingang',
  thread: 'Nachrichten',
  earlier: 'Frühere Nachrichten',
  later: 'Neueste Nachrichten',
  note: 'interne Notiz',
  application: 'Anwendung',
  notification: 'Benachrichtigung',
  you: 'Sie',
  seen: 'Gelesen',
  closedNow: 'Diese Unterhaltung ist geschlossen. Eine Antwort öffnet sie wieder.',
  online: 'Online',
  offline: 'Offline',
  compose: {
    kind: 'Art der Nachricht',
    reply: 'Antwort',
    note: 'Interne Notiz',
    text: 'Nachricht',
    placeholder: 'Nachricht schreiben…',
    send: 'Senden',
    hint: 'Umschalt+Eingabe: neue Zeile',
    empty: 'Schreiben Sie eine Nachricht.',
  },
  files: {
    attach: 'Dateien anhängen',
    chosen: 'Dateien der Antwort',
    uploading: 'Wird hochgeladen…',
    failed: 'Nicht hochgeladen.',
    wait: 'Senden Sie die Antwort, sobald die Datei hochgeladen ist.',
    removeFirst: 'Entfernen Sie die Datei, um die Antwort zu senden.',
    empty: 'Die Datei ist leer.',
    tooLarge: (size) => `Die Datei ist größer als ${size.replace(' ', '\u00a0')}.`,
    tooMany: (most) => `Eine Antwort hat höchstens ${most} Dateien.`,
    remove: (name) => `${name} entfernen`,
  },
  assign: { label: 'Bearbeiter', submit: 'Zuweisen', me: 'Mir zuweisen', none: 'Niemand' },
  acts: {
    close: 'Schließen',
    reopen: 'Wieder öffnen',
    pend: 'Auf „Wartend“ setzen',
    read: 'Als gelesen markieren',
    more: 'Weitere Aktionen',
  },
  facts: {
    name: 'Name',
    email: 'E-Mail-Adresse',
    customer: 'Kunde',
    website: 'Website',
    language: 'Sprache',
    began: 'Begonnen',
    seen: 'Zuletzt gesehen',
    unverified: 'nicht bestätigt',
    none: 'nicht angegeben',
    earlier: 'Früher',
  },
  story: {
    title: 'Verlauf',
    read: 'Verlauf lesen',
    none: 'Über diesen Kunden ist noch nichts bekannt.',
    anonymous: 'Dieser Besucher ist nicht angemeldet.',
  },
  notices: { sent: 'Nachricht gesendet.', noted: 'Notiz hinzugefügt.', changed: 'Unterhaltung geändert.' },
  live: {
    typing: (name) => `${name} schreibt…`,
    lost: 'Keine Verbindung. Nachrichten werden gesendet, sobald sie wieder besteht.',
    sending: 'Wird gesendet…',
    failed: 'Nicht gesendet.',
    again: 'Erneut versuchen',
  },
};

/** The settings of an organization's websites and its agents, in German. */
const websites: Texts['websites'] = {
  title: 'Websites',
  readOnly:
    'Sie können diese Einstellungen ansehen, aber nicht ändern. Wenden Sie sich an einen Inhaber oder Administrator der Organisation.',
  noChange:
    'Ihnen fehlt die Berechtigung, diese Einstellungen zu ändern. Wenden Sie sich an einen Inhaber oder Administrator der Organisation.',
  websites: 'Websites',
  install: {
    title: 'Widget einbinden',
    words: 'Fügen Sie diese beiden Zeilen in jede Seite Ihrer Website ein, vor dem Ende des head-Elements.',
    name: 'Zeilen',
    closed: 'Tragen Sie zuerst unten die Adresse Ihrer Website ein. Nur dort erscheint das Widget.',
  },
  settings: 'Einstellungen',
  fields: {
    name: 'Name',
    nameHint: 'Besucher sehen ihn über der Unterhaltung.',
    allowedOrigins: 'Erlaubte Ursprünge',
    allowedOriginsHint:
      'Einer pro Zeile, zum Beispiel https://shop.example.com, oder https://*.example.com für alle Subdomains. Nur Seiten dieser Ursprünge zeigen das Widget.',
    greeting: 'Begrüßung',
    colour: 'Farbe',
    colourHint: 'Wir passen sie an, wo Text sonst schwer lesbar wäre.',
    logoUrl: 'Adresse des Logos',
    logoUrlHint: 'Ein quadratisches Bild unter einer https-Adresse.',
    enabled: 'Widget anzeigen',
  },
  save: 'Speichern',
  secret: {
    title: 'Bestätigung der Identität',
    words:
      'Ihr Server signiert, wer angemeldet ist. So behalten Besucher ihre Unterhaltungen auf allen Geräten, und Bearbeiter sehen, wer schreibt.',
    has: 'Diese Website hat ein Geheimnis.',
    hasNone: 'Diese Website hat noch kein Geheimnis.',
    create: 'Geheimnis erstellen',
    replace: 'Geheimnis ersetzen',
    question: 'Geheimnis ersetzen?',
    consequence: 'Alle Signaturen mit dem bisherigen Geheimnis werden sofort ungültig.',
    confirm: 'Ersetzen',
    shown: 'Wir zeigen das Geheimnis nur dieses eine Mal. Speichern Sie es jetzt auf Ihrem Server.',
    name: 'Geheimnis',
  },
  add: { title: 'Website hinzufügen', name: 'Name der Website', submit: 'Website hinzufügen' },
  agents: {
    title: 'Bearbeiter',
    words:
      'Bearbeiter lesen und beantworten die Unterhaltungen aller Websites. Jeder Bearbeiter belegt einen Platz Ihres Tarifs.',
    seats: (used, limit) => `Belegte Plätze: ${used} von ${limit}.`,
    plan: (link: Content) => html`Für mehr Plätze ändern Sie Ihren ${link}.`,
    planLink: 'Tarif',
    online: 'online',
    none: 'Es gibt noch keine Bearbeiter.',
    member: 'Mitglied',
    displayName: 'Name, den Besucher sehen',
    add: 'Bearbeiter hinzufügen',
    everyone: 'Alle Mitglieder sind Bearbeiter.',
    remove: 'Entfernen',
    removeName: (name) => `${name} entfernen`,
    question: (name) => `${name} als Bearbeiter entfernen?`,
    consequence:
      'Die Unterhaltungen dieser Person sind danach niemandem zugewiesen. Was sie geschrieben hat, bleibt erhalten.',
    confirm: 'Entfernen',
  },
  notices: {
    saved: 'Einstellungen gespeichert.',
    added: 'Website hinzugefügt.',
    'agent-added': 'Bearbeiter hinzugefügt.',
    'agent-removed': 'Bearbeiter entfernt.',
  },
};

/** The texts of connect's pages in German. */
export const de: Texts = { inbox, websites };
