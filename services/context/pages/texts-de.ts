import { type Content, html } from '../../../web/html.ts';
import { counterIn } from '../../../web/numbers.ts';
import type { en } from './texts.ts';
import { meaningsInGerman } from './texts-events-de.ts';

type Texts = typeof en;

const format = new Intl.NumberFormat('de');
const countOf = counterIn('de');

/** The list of customers, in German. */
const customers: Texts['customers'] = {
  title: 'Kunden',
  lead: 'Zu jedem Kunden erstellt die Plattform aus Ihren Ereignissen einen Verlauf.',
  notices: { erased: 'Kunde gelöscht. Verlauf, Ereignisse und Kennungen sind entfernt.' },
  unfinished: (count, since, services) =>
    html`${countOf(count, 'Löschung ist', 'Löschungen sind')} nicht abgeschlossen, ${count > 1 && 'die erste '}begonnen ${since}.${services !== '' && ` Noch zu löschen in: ${services}.`} Die Plattform versucht es jede Minute erneut.`,
  events: 'Ereignisse',
  search: 'Kunden suchen',
  placeholder: 'ID, E-Mail, Telefon oder Name',
  caption: { latest: 'Kunden, der mit dem neuesten Ereignis zuerst', found: 'Gefundene Kunden' },
  columns: { customer: 'Kunde', story: 'Verlauf', open: 'Offen', events: 'Ereignisse', last: 'Letztes Ereignis' },
  count: (count) => format.format(count),
  open: {
    orders: (count) => countOf(count, 'Bestellung', 'Bestellungen'),
    payments: (count) => countOf(count, 'Zahlung', 'Zahlungen'),
    subscriptions: (count) => countOf(count, 'Abonnement', 'Abonnements'),
    tickets: (count) => countOf(count, 'Ticket', 'Tickets'),
    none: 'Nichts',
  },
  composing: 'Der Verlauf wird gerade erstellt.',
  next: 'Weitere Kunden',
  notFound: (q) =>
    html`Kein Kunde hat „<bdi>${q}</bdi>“ als ID, E-Mail-Adresse oder Telefonnummer, und kein Name beginnt damit.`,
  empty: {
    title: 'Noch keine Kunden',
    words:
      'Senden Sie ein Ereignis, das einen Kunden nennt, zum Beispiel eine Bestellung. Der Kunde und sein Verlauf erscheinen innerhalb einer Sekunde hier.',
  },
};

/** The story of a customer, in German. */
const customer: Texts['customer'] = {
  by: (id: Content) => html`Kunde ${id}`,
  idName: 'Kunden-ID',
  composed: (events, when: Content) => html`Erstellt aus ${events}. Letztes Ereignis: ${when}.`,
  // In the dative, after “aus”.
  eventCount: (count) => countOf(count, 'Ereignis', 'Ereignissen'),
  updated: (when: Content) => html`Letztes Ereignis: ${when}.`,
  notices: {
    merged: 'Kunden zusammengeführt. Beide IDs führen zu diesem Verlauf.',
    same: 'Beide IDs gehören bereits zu diesem Kunden.',
    sent: 'Ereignis angenommen. Diese Geschichte wurde daraus zusammengestellt.',
  },
  facts: {
    title: 'Fakten',
    orders: 'Offene Bestellungen',
    payments: 'Fällige Zahlungen',
    subscriptions: 'Abonnements',
    tickets: 'Offene Tickets',
    first: 'Erstes Ereignis',
    last: 'Letztes Ereignis',
    emails: 'E-Mail',
    phones: 'Telefon',
  },
  api: 'Derselbe Text über die API:',
  apiName: 'Anfrage',
  events: {
    title: 'Ereignisse',
    payload: 'Nutzdaten',
    today: 'Heute',
    yesterday: 'Gestern',
    event: (name, understood) => {
      const words: Record<string, string> = understood ? meaningsInGerman[understood.family] : {};
      return words[understood?.meaning ?? ''] ?? name;
    },
    source: (name: Content, system) => html`${name} von <bdi>${system}</bdi>`,
    older: 'Ältere Ereignisse',
    newest: 'Neueste Ereignisse',
    none: 'Hier sind keine Ereignisse.',
    more: 'Ereignisse filtern',
  },
  merge: {
    act: 'Zusammenführen',
    title: 'Mit einem anderen Kunden zusammenführen',
    lead: 'Suchen Sie den anderen Eintrag derselben Person. Sie sehen beide, bevor sich etwas ändert.',
    contact: 'Kontakt',
    notFound: (q) =>
      html`Kein anderer Kunde hat „<bdi>${q}</bdi>“ als ID, E-Mail-Adresse oder Telefonnummer, und kein Name beginnt damit.`,
    question: 'Diese Kunden zusammenführen?',
    words: (kept: Content, other: Content) =>
      html`Sie werden ein Kunde mit der ID ${kept} und einem Verlauf aller Ereignisse. Die ID ${other} führt ebenfalls dorthin. Das kann nicht rückgängig gemacht werden.`,
    kept: 'Behält die ID',
    id: 'ID',
    submit: 'Kunden zusammenführen',
    cancel: 'Abbrechen',
    notAllowed:
      'Sie können Kunden dieser Organisation nicht zusammenführen: Ihrer Rolle fehlt context.events.write. Ein Inhaber oder Administrator kann Ihnen diese Berechtigung geben.',
  },
  erase: {
    act: 'Löschen',
    title: 'Diesen Kunden löschen?',
    words: (title) =>
      html`<bdi>${title}</bdi>: Verlauf, Ereignisse und alle Kennungen werden hier und in den anderen Diensten der Plattform gelöscht. Das kann nicht rückgängig gemacht werden.`,
    label: (id) => `Geben Sie zur Bestätigung ${id} ein`,
    submit: 'Kunden löschen',
    cancel: 'Kunden behalten',
    mismatch: (id) => `Das ist nicht die ID. Geben Sie ${id} genau so ein, wie sie hier steht.`,
    notAllowed:
      'Sie können Kunden dieser Organisation nicht löschen: Ihrer Rolle fehlt context.events.write. Ein Inhaber oder Administrator kann Ihnen diese Berechtigung geben.',
  },
};

/** The list of events, in German. */
const events: Texts['events'] = {
  title: 'Ereignisse',
  lead: 'Was Ihre Systeme gemeldet haben, zuletzt Empfangenes zuerst.',
  tabs: { label: 'Art der Ereignisse', accepted: 'Angenommen', refused: 'Abgelehnt' },
  name: 'Name des Ereignisses',
  customer: 'Kunden-ID',
  source: 'Quelle',
  understood: 'Verstanden',
  yes: 'Ja',
  no: 'Nein',
  caption: {
    received: 'Ereignisse, zuletzt empfangene zuerst',
    ofCustomer: 'Ereignisse des Kunden, neueste zuerst',
  },
  columns: { event: 'Ereignis', state: 'Verlauf', customer: 'Kunde', source: 'Quelle', received: 'Empfangen' },
  states: { understood: 'Verstanden', counted: 'Name unbekannt', none: 'Kein Kunde' },
  older: 'Ältere',
  more: 'Weiter zurück suchen',
  empty: {
    title: 'Noch keine Ereignisse',
    words: 'Senden Sie das erste. Es erscheint innerhalb einer Sekunde hier.',
  },
  notFound: 'Kein Ereignis passt zu diesen Filtern.',
  notYet: 'Unter den durchsuchten Ereignissen war kein Treffer.',
};

const event: Texts['event'] = {
  idName: 'Ereignis-ID',
  code: 'Ereignis',
  facts: {
    id: 'ID',
    customer: 'Kunde',
    noCustomer: 'Keiner: Das Ereignis nennt keinen Kunden und steht in keinem Verlauf.',
    occurred: 'Geschehen',
    received: 'Empfangen',
    source: 'Quelle',
    actor: 'Akteur',
    story: 'Im Verlauf',
    understood: 'Verstanden: Der Verlauf wertet diesen Namen aus.',
    counted: 'Gezählt: Der Verlauf zeigt diesen Namen, wertet ihn aber nicht aus.',
  },
};

/** The events that were refused, in German. */
const refused: Texts['refused'] = {
  lead: 'Ereignisse, die in den letzten 7 Tagen abgelehnt wurden, höchstens 1.000. Sie werden nicht gezählt und stehen in keinem Verlauf.',
  caption: 'Abgelehnte Ereignisse, neueste zuerst',
  columns: { event: 'Ereignis', reason: 'Grund', sender: 'Absender', refused: 'Abgelehnt' },
  nameless: 'Kein gültiger Name',
  batch: 'im Stapel',
  anotherField: '(ein anderes Feld)',
  senders: { application: 'Anwendung', user: 'Benutzer' },
  omitted: (count) => `${countOf(count, 'zuvor abgelehntes Ereignis', 'zuvor abgelehnte Ereignisse')} nicht aufbewahrt`,
  older: 'Ältere',
  empty: {
    title: 'Keine abgelehnten Ereignisse',
    words: 'Jedes Ereignis der letzten 7 Tage wurde angenommen oder doppelt gesendet.',
  },
};

/** A request that sends an event, in German. */
const sample: Texts['sample'] = {
  label: 'curl',
  send: 'Dieses Ereignis senden',
  notAllowed:
    'Sie können keine Ereignisse dieser Organisation senden: Ihrer Rolle fehlt context.events.write. Ein Inhaber oder Administrator kann Ihnen diese Berechtigung geben.',
  name: 'Ada Lovelace',
  reference: 'API-Referenz',
  names: 'Namen der Ereignisse',
};

/** The texts of context's pages in German. */
export const de: Texts = { customers, customer, events, event, refused, sample };
