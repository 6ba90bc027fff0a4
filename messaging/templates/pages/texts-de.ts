import { html } from '../../../web/html.ts';
import { inGerman } from './problems-de.ts';
import type { en } from './texts.ts';

const kinds: typeof en.kinds = {
  mail: {
    lead: 'Die E-Mails, die Ihr Produkt sendet, mit Variablen, die jede Nachricht ausfüllt.',
    label: 'E-Mail-Vorlagen',
    empty: {
      title: 'Noch keine E-Mail-Vorlagen',
      words: 'Beginnen Sie mit einer Quittung, einer Begrüßung oder einer Einladung, und passen Sie sie an.',
    },
    newLead: 'Die Vorlage bleibt ein Entwurf, bis Sie sie veröffentlichen.',
    blank: 'Ein Betreff und eine Textzeile.',
    published: 'Veröffentlicht. Neue E-Mails verwenden diese Version.',
    remove: 'Neue E-Mails können sie dann nicht mehr verwenden. Bereits angenommene E-Mails werden noch gesendet.',
    test: {
      words:
        'Sendet die zuletzt gespeicherte Version mit den Beispielwerten. Ein Test verbraucht eine Einheit des Tarifs.',
      sent: 'Test angenommen. Unter „Nachrichten“ sehen Sie, was aus ihm wird.',
    },
  },
  notification: {
    lead: 'Die Benachrichtigungen, die Ihr Produkt an Chats, Telefone, Websites und Webhooks sendet.',
    label: 'Benachrichtigungsvorlagen',
    empty: {
      title: 'Noch keine Benachrichtigungsvorlagen',
      words: 'Beginnen Sie mit einer Bestellung, einem Termin oder einem Einmalcode, und passen Sie die Vorlage an.',
    },
    newLead: 'Die Vorlage bleibt ein Entwurf, bis Sie sie veröffentlichen.',
    blank: 'Eine Textzeile.',
    published: 'Veröffentlicht. Neue Benachrichtigungen verwenden diese Version.',
    remove: 'Neue Benachrichtigungen können sie dann nicht mehr verwenden. Bereits angenommene werden noch gesendet.',
    test: {
      words:
        'Sendet die zuletzt gespeicherte Version mit den Beispielwerten über einen verbundenen Kanal. Ein Test verbraucht eine Einheit des Tarifs.',
      sent: 'Test gesendet.',
    },
  },
};

const editor: typeof en.editor = {
  label: 'Vorlage',
  idName: 'Vorlagen-ID',
  changed: (time) => html`Geändert: ${time}`,
  save: 'Entwurf speichern',
  publish: 'Speichern und veröffentlichen',
  name: 'Name',
  category: 'Kategorie',
  categories: { transactional: 'Transaktional', marketing: 'Marketing' },
  outdated: (version) =>
    `Während Ihrer Bearbeitung wurde Version ${version} gespeichert. Speichern Sie noch einmal, um sie durch das zu ersetzen, was Sie hier sehen.`,
  lacks: (permission) => `Ihnen fehlt die Berechtigung ${permission}.`,
  reading: (version) => `Sie sehen Version ${version}.`,
  toLatest: 'Neueste Version öffnen',
  problem: inGerman,
  elsewhere: (locale, part, message) => `${locale}, ${part}: ${message}`,
  unnamed: (part, message) => `${part}: ${message}`,
};

const locales: typeof en.locales = {
  label: 'Sprachen',
  add: 'Sprache hinzufügen',
  tag: 'Sprachkürzel',
  hint: 'Etwa de oder de-AT. Die Sprache beginnt mit dem Standardinhalt.',
  submit: 'Hinzufügen',
  wrong: 'Geben Sie ein Sprachkürzel wie de oder de-AT ein.',
  named: (name, tag) => `${name} (${tag})`,
  adding: (name) => `${name} wird beim Speichern hinzugefügt.`,
  remove: (name) => `${name} entfernen`,
  question: (name) => `${name} entfernen?`,
  consequence:
    'Es wird ein neuer Entwurf ohne diese Sprache gespeichert. Empfänger mit dieser Sprache erhalten dann den Standardinhalt.',
  confirm: 'Sprache entfernen',
};

const preview: typeof en.preview = {
  title: 'Vorschau',
  submit: 'Vorschau anzeigen',
  samples: 'Beispielwerte',
  all: 'Alle Beispielwerte',
  withoutOptional: 'Ohne optionale Werte',
  width: 'Breite',
  desktop: 'Desktop',
  phone: 'Smartphone',
  frame: 'Vorschau des HTML',
  text: 'Textfassung',
  html: 'HTML, für E-Mail',
  noSubject: 'Kein Betreff',
  failed: 'Eine Vorschau ist noch nicht möglich:',
  problems: (count) =>
    count === 1
      ? 'Beheben Sie das markierte Problem, um die Vorschau zu erneuern.'
      : `Beheben Sie die ${count} markierten Probleme, um die Vorschau zu erneuern.`,
  unavailable: 'Die Vorschau konnte nicht erneuert werden.',
};

/** The German texts of the pages of templates. */
export const de: typeof en = {
  title: 'Vorlagen',
  kinds,
  create: 'Neue Vorlage',
  search: 'Nach dem Anfang des Namens suchen',
  notFound: {
    title: 'Keine Vorlagen gefunden',
    words: (search) => html`Kein Name beginnt mit „<bdi>${search}</bdi>“.`,
  },
  columns: { name: 'Name', state: 'Status', version: 'Version', locales: 'Sprachen', changed: 'Geändert' },
  states: {
    draft: 'Entwurf',
    live: (version) => `Version ${version} aktiv`,
    ahead: (live, latest) => `Version ${live} aktiv, ${latest} im Entwurf`,
  },
  version: (version) => `Version ${version}`,
  defaultLocale: 'Standard',
  notices: {
    created: 'Vorlage als Entwurf erstellt.',
    saved: 'Entwurf gespeichert.',
    unchanged: 'Es hat sich nichts geändert.',
    deleted: 'Vorlage gelöscht.',
    'language-removed': 'Sprache in einem neuen Entwurf entfernt.',
  },
  form: {
    title: 'Neue Vorlage',
    name: 'Name',
    nameHint: 'Nur für Sie. Empfänger sehen ihn nicht.',
    nameMissing: 'Geben Sie einen Namen ein.',
    starter: 'Beginnen mit',
    starterWrong: 'Wählen Sie eine dieser Möglichkeiten aus.',
    blank: 'Leer',
    submit: 'Vorlage erstellen',
    blankSubject: 'Guten Tag {{ name }}',
    blankText: 'Guten Tag {{ name }},',
    blankVariable: 'name',
    blankSample: 'Grace',
  },
  editor,
  locales,
  variables: {
    title: 'Variablen',
    hint: 'In einer Vorlage stehen sie als {{ name }}. Beispielwerte füllen die Vorschau und Tests.',
    columns: { name: 'Name', sample: 'Beispielwert', required: 'Pflicht' },
    caption: 'Variablen der Vorlage',
    named: (index) => `Name der Variable ${index}`,
    sample: (index) => `Beispielwert der Variable ${index}`,
    required: (index) => `Variable ${index} ist Pflicht`,
    yes: 'Pflicht',
    no: 'Optional',
    noSample: 'Kein Beispielwert',
    none: 'Keine Variablen.',
  },
  preview,
  versions: {
    title: 'Versionen',
    draft: (version) => html`${version}, Entwurf`,
    live: (version) => html`${version}, aktiv`,
    noSubject: 'Kein Betreff',
    locales: (tags) => `Auch in ${tags}`,
    publish: 'Veröffentlichen',
    publishNamed: (version) => `Version ${version} veröffentlichen`,
    older: 'Ältere Versionen',
  },
  test: { title: 'Test senden', submit: 'Test senden', link: 'Test senden' },
  remove: {
    title: 'Diese Vorlage löschen',
    submit: 'Vorlage löschen',
    question: (name) => `${name} löschen?`,
    confirm: 'Vorlage löschen',
    zone: 'Gefahrenzone',
  },
};
