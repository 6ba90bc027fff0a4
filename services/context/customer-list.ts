import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { decodeCursor, pageOf, pageQuery, singleLine, timestamp, toPage } from '../../lib/contract/input.ts';
import { prefixRange } from '../../lib/data/prefix-range.ts';
import type { Language } from '../../lib/format/language.ts';
import { searchForm } from '../../lib/format/search-form.ts';
import { settings } from '../../lib/settings/settings.ts';
import { type CustomerDocument, type CustomerListing, CustomerModel } from '../../models/context/customer.ts';
import { IdentifierModel } from '../../models/context/identifier.ts';
import { catchUpInTime, newWait } from './compose/await-pending.ts';
import { currentFold, storedFold, toTitle } from './compose/progress.ts';
import { exampleStory, findSettledCustomer, languageQuery, withoutCheckpoints } from './stories.ts';
import { lookupIdentifiers, normalizeEmail, parseIdentifierKey } from './story/identifiers.ts';

/** The maximum number of email addresses, and of phone numbers, of one customer in a list. */
const maxContacts = 10;
const maxContactsRead = 5000;

const listed = z
  .strictObject({
    customerId: z.string(),
    name: z.string().nullable().describe('The name; null if no event has one.'),
    title: z.string().nullable().describe('The story in one line; null while it is being composed.'),
    emails: z.array(z.string()).max(maxContacts).describe('The email addresses, at most 10.'),
    phones: z.array(z.string()).max(maxContacts).describe('The phone numbers in E.164, at most 10.'),
    firstEventAt: timestamp.describe('When the first event happened.'),
    lastEventAt: timestamp.describe('When the last event happened.'),
    eventCount: z.int().describe('The number of events.'),
    open: z
      .strictObject({
        orders: z.int().describe('The number of open orders.'),
        payments: z.int().describe('The number of due payments.'),
        subscriptions: z.int().describe('The number of running subscriptions.'),
        tickets: z.int().describe('The number of open tickets.'),
      })
      .describe('What is open as of the last event.'),
  })
  .meta({ id: 'Customer' });

/**
 * GET /v1/story/customers: the customers with a story, those with the latest event first. `q` finds the customer whom
 * an id, an email address or a phone number names, then those whose name begins with it, in the order of names. Events
 * enter the list together with the story, which the composer does in the background.
 */
export const listCustomers = defineAction({
  rest: 'GET /v1/story/customers',
  summary: 'List and search customers',
  description:
    'Returns the customers who have a story, those with the latest event first. `q` finds the customer whom an id, ' +
    'an email address or a phone number names, then those whose name begins with it. An event enters the list ' +
    'together with the story, shortly after it was accepted.',
  permission: 'context.story.read',
  tenant: 'required',
  input: {
    query: z.strictObject({
      ...pageQuery,
      q: singleLine(256).optional().describe('An id, an email address, a phone number, or the beginning of a name.'),
      ...languageQuery,
    }),
  },
  output: pageOf(listed),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20', q: 'jean' },
    output: {
      data: [
        {
          customerId: exampleStory.customerId,
          name: 'Jean Bartik',
          title: exampleStory.title,
          emails: ['jean@example.com'],
          phones: [],
          firstEventAt: '2026-03-02T09:30:00.000Z',
          lastEventAt: exampleStory.updatedAt,
          eventCount: 2,
          open: { orders: 1, payments: 0, subscriptions: 0, tickets: 0 },
        },
      ],
      nextCursor: null,
    },
  },
  async handler({ query: { limit, cursor, q, language }, caller: { orgId } }) {
    const place = placeOf(cursor, q === undefined ? ['event'] : ['exact', 'name']);
    const count = limit + 1;
    const rows = q === undefined ? await findLatest(orgId, place, count) : await search(orgId, q, place, count);
    const shown = rows.slice(0, limit).map(({ document }) => document);
    const [contacts, titles] = await Promise.all([contactsOf(orgId, shown), titlesOf(orgId, shown, language)]);
    return toPage(rows, limit, keyOf, ({ document }) => {
      const { customerId, name, firstEventAt, lastEventAt, events, open } = document.listing;
      return {
        customerId,
        name,
        title: titles.get(document._id) ?? null,
        emails: contacts.get(document._id)?.emails ?? [],
        phones: contacts.get(document._id)?.phones ?? [],
        firstEventAt: firstEventAt.toISOString(),
        lastEventAt: lastEventAt.toISOString(),
        eventCount: events,
        open,
      };
    });
  },
});

/** A customer who is in the list. */
type Listed = Candidate & { listing: CustomerListing };

/** A customer as a list reads them. */
type Candidate = Pick<CustomerDocument, '_id' | 'listing'>;

const rowFields = { listing: 1 } as const;

/** The order that a row is in: of the last event, of exact matches of a search, or of names. */
type Order = 'event' | 'exact' | 'name';
type Row = { order: Order; document: Listed };
type Place = { order: Order; key: string; id: string };

function placeOf(cursor: string | undefined, orders: Order[]): Place | null {
  const parts = decodeCursor(cursor, 3);
  if (!parts) return null;
  const [named, key = '', id = ''] = parts;
  const order = orders.find((one) => one === named);
  if (!order || (order === 'event' && Number.isNaN(Date.parse(key)))) throw apiError('CURSOR_INVALID');
  return { order, key, id };
}

function keyOf({ order, document: { _id, listing } }: Row): string[] {
  const keys = { event: listing.lastEventAt.toISOString(), exact: '', name: listing.nameKey ?? '' };
  return [order, keys[order], _id];
}

const inList = { mergedInto: null, erasing: false } as const;

async function findLatest(orgId: string, place: Place | null, limit: number): Promise<Row[]> {
  const at = 'listing.lastEventAt';
  const end = place ? new Date(place.key) : null;
  // The upper bound repeats the condition of `$or`: the index is read from there.
  const after = end && { $or: [{ [at]: { $lt: end } }, { [at]: end, _id: { $lt: place?.id } }] };
  const range = { [at]: { $gte: new Date(0), ...(end && { $lte: end }) } };
  const documents = await CustomerModel.find({ orgId, ...inList, ...range, ...after }, rowFields)
    .sort({ [at]: -1, _id: -1 })
    .limit(limit)
    .lean<Listed[]>();
  return documents.map((document) => ({ order: 'event', document }));
}

async function search(orgId: string, q: string, place: Place | null, limit: number): Promise<Row[]> {
  const exact = await findExact(orgId, q);
  const isBehindExact = place?.order === 'name';
  const after = isBehindExact ? [] : exact.filter(({ _id }) => _id > (place?.id ?? ''));
  const rows = after.map((document): Row => ({ order: 'exact', document })).slice(0, limit);
  const others = exact.map(({ _id }) => _id);
  const named = await findNamed(orgId, searchForm(q), isBehindExact ? place : null, others, limit - rows.length);
  return [...rows, ...named.map((document): Row => ({ order: 'name', document }))];
}

/** The customers whom the text names by an id, an email address or a phone number, in the order of their `_id`. */
async function findExact(orgId: string, q: string): Promise<Listed[]> {
  const read = newWait(orgId);
  const found = new Set<string>();
  for (const identifier of lookupIdentifiers(q, settings.DEFAULT_COUNTRY)) {
    const customer = await findSettledCustomer(orgId, identifier, read);
    if (customer !== null) found.add(customer);
  }
  if (found.size === 0) return [];
  const filter = { orgId, _id: { $in: [...found] }, ...inList };
  const find = () => CustomerModel.find(filter, rowFields).sort({ _id: 1 }).lean<Candidate[]>();
  const documents = await find();
  const fresh = documents.filter(({ listing }) => listing === undefined);
  for (const { _id } of fresh) await catchUpInTime(read, _id);
  return (fresh.length > 0 ? await find() : documents).filter(isListed);
}

const isListed = (document: Candidate): document is Listed => document.listing !== undefined;

async function findNamed(
  orgId: string,
  prefix: string,
  place: Place | null,
  others: string[],
  limit: number,
): Promise<Listed[]> {
  if (prefix === '' || limit === 0) return [];
  const key = 'listing.nameKey';
  const after = place && { $or: [{ [key]: { $gt: place.key } }, { [key]: place.key, _id: { $gt: place.id } }] };
  const from = place && place.key > prefix ? place.key : prefix;
  const range = { [key]: prefixRange(prefix, { $gte: from }) };
  const unlessExact = others.length > 0 ? { _id: { $nin: others } } : {};
  return await CustomerModel.find({ orgId, ...inList, ...range, ...after, ...unlessExact }, rowFields)
    .sort({ [key]: 1, _id: 1 })
    .limit(limit)
    .lean<Listed[]>();
}

type Contacts = { emails: string[]; phones: string[] };

async function contactsOf(orgId: string, documents: Listed[]): Promise<Map<string, Contacts>> {
  const customer = { $in: documents.map(({ _id }) => _id) };
  const pointers = await IdentifierModel.find({ orgId, customer }, { key: 1, customer: 1 })
    .limit(maxContactsRead)
    .lean();
  const contacts = new Map<string, Contacts>();
  for (const { key, customer: of } of pointers) {
    const { emails, phones } = contacts.get(of) ?? { emails: [], phones: [] };
    contacts.set(of, { emails, phones });
    const identifier = parseIdentifierKey(key);
    if (identifier?.type === 'email') emails.push(identifier.value);
    if (identifier?.type === 'phone') phones.push(identifier.value);
  }
  for (const one of contacts.values()) {
    if (one.emails.length > 1) one.emails = one.emails.filter(isNormal);
    one.emails = one.emails.sort().slice(0, maxContacts);
    one.phones = one.phones.sort().slice(0, maxContacts);
  }
  return contacts;
}

/** Whether an address is not another spelling of one that is stored as well. */
const isNormal = (email: string): boolean => (normalizeEmail(email) ?? email) === email;

/** The titles of the stories by customer; a listing of an earlier version has none, so the story is read. */
async function titlesOf(orgId: string, documents: Listed[], language: Language): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  for (const { _id, listing } of documents) {
    const title = listing.titles?.[language];
    if (title !== undefined) titles.set(_id, title);
  }
  const untitled = documents.flatMap(({ _id }) => (titles.has(_id) ? [] : [_id]));
  if (untitled.length === 0) return titles;
  const filter = { orgId, _id: { $in: untitled }, ...inList };
  for (const document of await CustomerModel.find(filter, withoutCheckpoints).lean<CustomerDocument[]>()) {
    const current = currentFold(document);
    const title = current && toTitle(orgId, storedFold(current), language);
    if (title !== null) titles.set(document._id, title);
  }
  return titles;
}
