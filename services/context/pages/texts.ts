import { catalogue } from '../../../web/catalogue.ts';
import { type Content, html } from '../../../web/html.ts';
import { counterIn } from '../../../web/numbers.ts';
import type { Understood } from '../story/understood.ts';
import { de } from './texts-de.ts';

const format = new Intl.NumberFormat('en');
const countOf = counterIn('en');

/** The list of customers. */
const customers = {
  title: 'Customers',
  lead: 'Each customer has a story that the platform composes from your events.',
  notices: { erased: 'Customer erased. Their story, events and identifiers are gone.' },
  /** Erasures that a service has not completed. */
  unfinished: (count: number, since: Content, services: string) =>
    html`${countOf(count, 'erasure is', 'erasures are')} not complete, ${count > 1 && 'the first '}begun ${since}.${services !== '' && ` Still to erase in: ${services}.`} The platform tries again every minute.`,
  events: 'Events',
  search: 'Find a customer',
  placeholder: 'Id, email, phone or name',
  caption: { latest: 'Customers, the one with the latest event first', found: 'Customers found' },
  columns: { customer: 'Customer', story: 'Story', open: 'Open', events: 'Events', last: 'Last event' },
  count: (count: number) => format.format(count),
  open: {
    orders: (count: number) => countOf(count, 'order', 'orders'),
    payments: (count: number) => countOf(count, 'payment', 'payments'),
    subscriptions: (count: number) => countOf(count, 'subscription', 'subscriptions'),
    tickets: (count: number) => countOf(count, 'ticket', 'tickets'),
    none: 'None',
  },
  composing: 'The story is being composed.',
  next: 'More customers',
  notFound: (q: string) =>
    html`No customer has “<bdi>${q}</bdi>” as an id, email address or phone number, and no name begins with it.`,
  empty: {
    title: 'No customers yet',
    words:
      'Send an event that names a customer, such as an order. The customer and their story appear here in a second.',
  },
};

/** The story of a customer. */
const customer = {
  by: (id: Content) => html`Customer ${id}`,
  idName: 'customer ID',
  composed: (events: string, when: Content) => html`Composed from ${events}, the last one ${when}.`,
  eventCount: (count: number) => countOf(count, 'event', 'events'),
  updated: (when: Content) => html`The last event happened ${when}.`,
  notices: {
    merged: 'Customers merged. Both IDs lead to this story.',
    same: 'Both IDs are of this customer already.',
    sent: 'Event accepted. This is the story that was composed from it.',
  },
  facts: {
    title: 'Facts',
    orders: 'Open orders',
    payments: 'Payments due',
    subscriptions: 'Subscriptions',
    tickets: 'Open tickets',
    first: 'First event',
    last: 'Last event',
    emails: 'Email',
    phones: 'Phone',
  },
  api: 'The same text by the API:',
  apiName: 'request',
  events: {
    title: 'Events',
    payload: 'Payload',
    today: 'Today',
    yesterday: 'Yesterday',
    /** An event in words: its name, or what it means in the story. */
    event: (name: string, _understood: Understood | null) => name,
    source: (name: Content, system: string) => html`${name} from <bdi>${system}</bdi>`,
    older: 'Older events',
    newest: 'Newest events',
    none: 'No events here.',
    more: 'Filter events',
  },
  merge: {
    act: 'Merge',
    title: 'Merge with another customer',
    lead: 'Find the other record of the same person. You see both before anything changes.',
    contact: 'Contact',
    notFound: (q: string) =>
      html`No other customer has “<bdi>${q}</bdi>” as an id, email address or phone number, and no name begins with it.`,
    question: 'Merge these customers?',
    words: (kept: Content, other: Content) =>
      html`They become one customer with the ID ${kept} and one story of all events. The ID ${other} leads to it too. This cannot be undone.`,
    kept: 'Keeps the ID',
    id: 'ID',
    submit: 'Merge customers',
    cancel: 'Cancel',
    notAllowed:
      'You cannot merge customers of this organization: your role lacks context.events.write. An owner or an admin can give it to you.',
  },
  erase: {
    act: 'Erase',
    title: 'Erase this customer?',
    words: (title: string) =>
      html`<bdi>${title}</bdi>: the story, the events and all identifiers are deleted here and in the other services of the platform. This cannot be undone.`,
    label: (id: string) => `Type ${id} to confirm`,
    submit: 'Erase customer',
    cancel: 'Keep customer',
    mismatch: (id: string) => `This is not the id. Type ${id} as it is written here.`,
    notAllowed:
      'You cannot erase customers of this organization: your role lacks context.events.write. An owner or an admin can give it to you.',
  },
};

/** The list of events, and one event. */
const events = {
  title: 'Events',
  lead: 'What your systems reported, the last received first.',
  tabs: { label: 'Kind of events', accepted: 'Accepted', refused: 'Refused' },
  name: 'Event name',
  customer: 'Customer ID',
  source: 'Source',
  understood: 'Understood',
  yes: 'Yes',
  no: 'No',
  caption: { received: 'Events, the last received first', ofCustomer: 'Events of the customer, the newest first' },
  columns: { event: 'Event', state: 'Story', customer: 'Customer', source: 'Source', received: 'Received' },
  states: { understood: 'Understood', counted: 'Name unknown', none: 'No customer' },
  older: 'Older',
  more: 'Search further back',
  empty: {
    title: 'No events yet',
    words: 'Send the first one. It appears here within a second.',
  },
  notFound: 'No event matches these filters.',
  notYet: 'No match among the events that were searched.',
};

const event = {
  idName: 'event ID',
  code: 'Event',
  facts: {
    id: 'ID',
    customer: 'Customer',
    noCustomer: 'None: the event names no customer, and is in no story.',
    occurred: 'Occurred',
    received: 'Received',
    source: 'Source',
    actor: 'Actor',
    story: 'In the story',
    understood: 'Understood: the story interprets this name.',
    counted: 'Counted: the story shows this name, and does not interpret it.',
  },
};

/** The events that were refused. */
const refused = {
  lead: 'Events that were refused in the last 7 days, at most 1,000. They are not counted and in no story.',
  caption: 'Refused events, the newest first',
  columns: { event: 'Event', reason: 'Reason', sender: 'Sender', refused: 'Refused' },
  nameless: 'No valid name',
  batch: 'in a batch',
  anotherField: '(another field)',
  senders: { application: 'Application', user: 'User' },
  omitted: (count: number) => `${countOf(count, 'event', 'events')} refused before this one not kept`,
  older: 'Older',
  empty: { title: 'No refused events', words: 'Every event of the last 7 days was accepted, or sent twice.' },
};

/** A request that sends an event. */
const sample = {
  label: 'curl',
  send: 'Send this event',
  notAllowed:
    'You cannot send events of this organization: your role lacks context.events.write. An owner or an admin can give it to you.',
  name: 'Ada Lovelace',
  reference: 'API reference',
  names: 'Event names',
};

/** The texts of context's pages in English. */
export const en = { customers, customer, events, event, refused, sample };

/** The texts of context's pages. */
export const texts = catalogue({ en, de });
