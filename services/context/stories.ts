import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { decodeCursor, pageOf, pageQuery, pathText, timestamp, toPage } from '../../lib/contract/input.ts';
import { parseJson } from '../../lib/data/exact-json.ts';
import { defaultLanguage, type Language, languages } from '../../lib/format/language.ts';
import { settings } from '../../lib/settings/settings.ts';
import { type CustomerDocument, CustomerModel } from '../../models/context/customer.ts';
import { type EventDocument, EventModel } from '../../models/context/event.ts';
import { IdentifierModel, identifierDocumentId } from '../../models/context/identifier.ts';
import { catchUpInTime, newWait, runExclusiveFor, settleRound } from './compose/await-pending.ts';
import { currentFold, storedFold, toStory } from './compose/progress.ts';
import { findRoot, identifiersOfCustomer } from './customers.ts';
import { exampleOrder, examplePayment, printable } from './ingest/event-input.ts';
import { noTiebreaker } from './story/event.ts';
import { type Identifier, identifierKey, lookupIdentifiers } from './story/identifiers.ts';

export const storyOutput = z
  .strictObject({
    customerId: z.string(),
    title: z.string().describe('The story in one line.'),
    summary: z.string().describe('The story in a few sentences.'),
    updatedAt: timestamp.describe('When the story last changed.'),
  })
  .meta({ id: 'Story' });
export type Story = z.output<typeof storyOutput>;

export const exampleStory = {
  customerId: 'C-1042',
  title: 'Jean Bartik, new customer since March 2026, 1 open order',
  summary:
    'Jean Bartik (jean@example.com) became a customer on 2 March 2026. That day they placed 1 order (A-1001: Touring ' +
    'saddle) worth 129.90 EUR. They paid for it in full on 2 March 2026. As of 2 March 2026, their order is paid and ' +
    'still open.',
  updatedAt: '2026-03-02T09:31:12.000Z',
} satisfies z.input<typeof storyOutput>;

/** The parameter of the language in which a story is written. */
export const languageQuery = {
  language: z
    .enum(languages)
    .default(defaultLanguage)
    .describe('The language of the text: English, or `de` for German.'),
};

/** The customer in a path; ids that no event could carry are refused. */
export const customerPath = z.strictObject({ customerId: pathText(printable).min(1).max(256) });

/**
 * The customer an identifier names, after all events acknowledged so far that concern them are settled: so a story read
 * after an event was accepted always includes it. Does not wait for events that arrive during the read; otherwise a
 * busy customer could never be read. Null when no customer has the identifier.
 *
 * @throws UNAVAILABLE too many events were pending to settle them in time; settled ones stay so.
 */
export async function findSettledCustomer(
  orgId: string,
  identifier: Identifier,
  read = newWait(orgId),
): Promise<string | null> {
  const key = identifierKey(identifier);
  const seen = new Set<string>();
  let customer: string | null = null;
  for (;;) {
    // Settling an event may merge two customers, and then the other's events count as well.
    const named = await lookUp(orgId, key, customer);
    customer = named?.customer ?? null;
    const keys = [key, ...(named?.keys ?? [])];
    const unseen = [...new Set(keys)].filter((name) => !seen.has(name));
    if (unseen.length === 0 && read.awaited.length === 0) return customer;
    const isComplete = await runExclusiveFor(read, keys, () => settleRound(read, unseen));
    if (isComplete) for (const name of unseen) seen.add(name);
  }
}

/** A customer and all their identifiers. */
type Named = { customer: string; keys: string[] };

/**
 * The customer of an identifier; reads its previous customer (`before`) concurrently, because it is mostly the same.
 */
async function lookUp(orgId: string, key: string, before: string | null): Promise<Named | null> {
  const [pointer, sameAsBefore] = await Promise.all([
    IdentifierModel.findOne({ orgId, _id: identifierDocumentId(orgId, key) }).lean(),
    before === null ? null : findNamed(orgId, before),
  ]);
  if (!pointer) return null;
  return pointer.customer === before ? sameAsBefore : findNamed(orgId, pointer.customer);
}

async function findNamed(orgId: string, id: string): Promise<Named | null> {
  const [customer, keys] = await Promise.all([findRoot(orgId, id), identifiersOfCustomer(orgId, id)]);
  if (customer === null) return null;
  return { customer, keys: customer === id ? keys : await identifiersOfCustomer(orgId, customer) };
}

export const withoutCheckpoints = { checkpoints: 0, 'previousFold.checkpoints': 0 } as const;

/**
 * The story of the one customer that identifiers lead to.
 *
 * @throws STORY_NOT_FOUND no customer, several customers, or one without events.
 * @throws UNAVAILABLE composing it takes longer than a read may; the progress is kept.
 */
export async function readStory(
  orgId: string,
  identifiers: Identifier[],
  language: Language = defaultLanguage,
): Promise<Story> {
  const read = newWait(orgId);
  for (;;) {
    const customer = await findOne(orgId, identifiers, read);
    const document = await CustomerModel.findOne({ orgId, _id: customer }, withoutCheckpoints).lean<CustomerDocument>();
    // Merged or erased since the lookup: look up the identifiers again.
    if (!document || document.mergedInto || document.erasing) continue;
    const current = currentFold(document);
    const fold = current ? storedFold(current) : await catchUpInTime(read, customer);
    const story = toStory(orgId, fold, language);
    if (story) return story;
    if (current) throw apiError('STORY_NOT_FOUND');
  }
}

/** The one customer that identifiers lead to; throws STORY_NOT_FOUND for none and for several. */
export async function findOne(orgId: string, identifiers: Identifier[], read = newWait(orgId)): Promise<string> {
  const found = new Set<string>();
  for (const identifier of identifiers) {
    const customer = await findSettledCustomer(orgId, identifier, read);
    if (customer) found.add(customer);
  }
  const [customer] = found;
  if (!customer || found.size > 1) throw apiError('STORY_NOT_FOUND');
  return customer;
}

const storedInstant = z.string();
export const storedEventFields = {
  schemaVersion: z.string(),
  tenantId: z.string(),
  eventId: z.string(),
  eventName: z.string(),
  occurredAt: storedInstant.describe('When it happened: ISO 8601 in UTC with milliseconds.'),
  actor: z.strictObject({
    type: z.string().describe('The kind of the actor, such as `customer`.'),
    id: z.string().describe('The id of the actor in your own system.'),
  }),
  source: z.strictObject({
    system: z.string(),
    channel: z.string().describe('The channel of the source, such as `web`.'),
  }),
  payload: z.record(z.string(), z.unknown()),
  receivedAt: storedInstant.describe('When the platform accepted the event.'),
};
const listedEvent = z.strictObject(storedEventFields).meta({ id: 'StoryEvent' });

/** NATS carries 1 MiB in one message; the envelope and the largest single event fit into the rest. */
export const pageBytes = 512 * 1024;

/**
 * GET /v1/story/customers/:customerId/events: the events of a story, in its order. A page of large events may hold
 * fewer than requested; only `nextCursor` shows whether there are more.
 */
export const listStoryEvents = defineAction({
  rest: 'GET /v1/story/customers/:customerId/events',
  summary: "List the events of a customer's story",
  description:
    'Returns the events behind a story in its order, the oldest first. A page of large events can be shorter than ' +
    "`limit`; only `nextCursor` says whether there are more. Events older than the plan's retention are not " +
    'included.',
  permission: 'context.story.read',
  tenant: 'required',
  input: { path: customerPath, query: z.strictObject(pageQuery) },
  output: pageOf(listedEvent),
  errors: ['STORY_NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { customerId: exampleStory.customerId },
    query: { limit: '20' },
    output: {
      data: [
        { ...exampleOrder, receivedAt: '2026-03-02T09:30:00.412Z' },
        { ...examplePayment, receivedAt: '2026-03-02T09:31:12.655Z' },
      ],
      nextCursor: null,
    },
  },
  async handler({ path, query, caller: { orgId } }) {
    const after = afterPosition(query.cursor);
    const customer = await findOne(orgId, [{ type: 'id', value: path.customerId.trim() }]);
    const events = EventModel.find({ orgId, customer, expired: { $ne: true }, ...after })
      .sort({ occurredAt: 1, tiebreaker: 1, eventId: 1 })
      .limit(query.limit + 1)
      .lean<KeptEvent[]>()
      .cursor({ batchSize: 21 });
    const { rows, limit } = await readWithin(pageBytes, query.limit, events as AsyncIterable<KeptEvent>);
    return toPage(rows, limit, positionParts, toStoryEventResponse);
  },
});

/** An event with its content. */
export type KeptEvent = Required<EventDocument>;

/** The filter for the events after a cursor: an instant, a tiebreaker (`''` for none) and an id. */
function afterPosition(cursor: string | undefined): object {
  const parts = decodeCursor(cursor, 3);
  if (!parts) return {};
  const [at = '', rank = '', eventId = ''] = parts;
  const occurredAt = new Date(at);
  if (Number.isNaN(occurredAt.getTime()) || !/^\d{0,9}$/.test(rank)) throw apiError('CURSOR_INVALID');
  const tiebreaker = rank === '' ? null : Number(rank);
  return {
    $or: [
      { occurredAt, tiebreaker, eventId: { $gt: eventId } },
      { occurredAt, tiebreaker: { $gt: tiebreaker ?? noTiebreaker } },
      { occurredAt: { $gt: occurredAt } },
    ],
  };
}

/** As many rows as fit, and the one after them; `limit` is how many fit. At least one always does. */
async function readWithin(bytes: number, limit: number, events: AsyncIterable<KeptEvent>) {
  const rows: KeptEvent[] = [];
  let remainingBytes = bytes;
  for await (const event of events) {
    rows.push(event);
    remainingBytes -= Buffer.byteLength(event.payload);
    if (remainingBytes < 0 && rows.length > 1) return { rows, limit: rows.length - 1 };
  }
  return { rows, limit };
}

const positionParts = ({ occurredAt, tiebreaker, eventId }: KeptEvent): string[] => [
  occurredAt.toISOString(),
  String(tiebreaker ?? ''),
  eventId,
];

export function toStoryEventResponse(event: KeptEvent): z.output<typeof listedEvent> {
  return {
    schemaVersion: event.schemaVersion,
    tenantId: event.orgId,
    eventId: event.eventId,
    eventName: event.eventName,
    occurredAt: event.occurredAt.toISOString(),
    actor: event.actor,
    source: event.source,
    payload: parseJson(event.payload),
    receivedAt: event.receivedAt.toISOString(),
  };
}

/** GET /v1/story/customers/:customerId: the story of a customer; the id of a merged customer returns the survivor's. */
export const readCustomerStory = defineAction({
  rest: 'GET /v1/story/customers/:customerId',
  summary: "Read a customer's story",
  description:
    'Returns the story of a customer: a title and a summary, composed from all events that were accepted before ' +
    'the request. The id of a customer that was merged into another returns the story of the ' +
    'other. A customer without events is `STORY_NOT_FOUND`.',
  permission: 'context.story.read',
  tenant: 'required',
  input: { path: customerPath, query: z.strictObject(languageQuery) },
  output: storyOutput,
  errors: ['STORY_NOT_FOUND'],
  example: { path: { customerId: exampleStory.customerId }, query: { language: 'en' }, output: exampleStory },
  handler({ path, query, caller }) {
    return readStory(caller.orgId, [{ type: 'id', value: path.customerId.trim() }], query.language);
  },
});

/** GET /v1/story/resolve?q=: the story of the customer that an id, email or phone number names; ambiguous is 404. */
export const resolveStory = defineAction({
  rest: 'GET /v1/story/resolve',
  summary: 'Find a story by customer id, email or phone number',
  description:
    'Returns the story of the customer that a customer id, an email address or a phone number names. If it names ' +
    'no customer or several, the answer is `STORY_NOT_FOUND`.',
  permission: 'context.story.read',
  tenant: 'required',
  input: {
    query: z.strictObject({
      q: z
        .string('Must be one value.')
        .min(1, 'Must not be empty.')
        .max(256)
        .describe('A customer id, an email address or a phone number.'),
      ...languageQuery,
    }),
  },
  output: storyOutput,
  errors: ['STORY_NOT_FOUND'],
  example: { query: { q: 'jean@example.com' }, output: exampleStory },
  handler({ query, caller }) {
    return readStory(caller.orgId, lookupIdentifiers(query.q, settings.DEFAULT_COUNTRY), query.language);
  },
});
