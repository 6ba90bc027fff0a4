import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { decodeCursor, encodeCursor, instantInput, pageOf, pageQuery, pathText } from '../../lib/contract/input.ts';
import { EventModel, eventKey } from '../../models/context/event.ts';
import { toStoredEvent } from './compose/progress.ts';
import { customerIdFor } from './customer-ids.ts';
import { byOccurrence, byReceipt, type EventOrder, type Place, readPage } from './event-walk.ts';
import { exampleOrder, printable } from './ingest/event-input.ts';
import { findSettledCustomer, type KeptEvent, pageBytes, storedEventFields, toStoryEventResponse } from './stories.ts';
import { isUnderstood } from './story/understood.ts';

const eventOutput = z
  .strictObject({
    ...storedEventFields,
    customerId: z.string().nullable().describe('The customer whose story shows the event; null if it is in no story.'),
    understood: z.boolean().describe('Whether stories interpret the name of the event.'),
  })
  .meta({ id: 'Event' });
type EventOutput = z.output<typeof eventOutput>;

const exampleEvent = {
  ...exampleOrder,
  receivedAt: '2026-03-02T09:30:00.412Z',
  customerId: exampleOrder.actor.id,
  understood: true,
} satisfies z.input<typeof eventOutput>;

const filter = z.string().min(1).max(256).regex(printable, 'Must not contain control characters.').optional();

const listQuery = z.strictObject({
  ...pageQuery,
  eventName: filter.describe('Only events of this name.'),
  customerId: filter.describe('Only the events of this customer.'),
  actorId: filter.describe('Only events whose actor has this id.'),
  source: filter.describe('Only events of this `source.system`.'),
  understood: z
    .enum(['true', 'false'], 'Must be true or false.')
    .optional()
    .describe('Only events whose name stories interpret, or do not.'),
  from: instantInput.optional().describe('Only events received at this time or later.'),
  to: instantInput.optional().describe('Only events received before this time.'),
});
type ListQuery = z.output<typeof listQuery>;

/**
 * GET /events: the organization's events, the last received first. A query with a customer lists the events of their
 * story, in its order from the end. A page may hold fewer events than requested, or none; only `nextCursor` shows whether there
 * are more.
 */
export const listEvents = defineAction({
  rest: 'GET /events',
  summary: 'List business events',
  description:
    "Returns the organization's events, the last received first; with `customerId` the events of one story, the " +
    'latest first. The filters can be combined. A page can have fewer events than `limit`, even none; only ' +
    '`nextCursor` says whether there are more.',
  permission: 'context.story.read',
  tenant: 'required',
  input: { query: listQuery },
  output: pageOf(eventOutput),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20', eventName: exampleOrder.eventName },
    output: { data: [exampleEvent], nextCursor: null },
  },
  async handler({ query, caller: { orgId } }) {
    const kind = query.customerId === undefined ? 'received' : 'occurred';
    const after = placeOf(query.cursor, kind);
    const order = await orderOf(orgId, query);
    if (!order) return { data: [], nextCursor: null };
    const understood = query.understood === undefined ? null : query.understood === 'true';
    const matches =
      understood === null ? null : (event: KeptEvent) => isUnderstood(toStoredEvent(event)) === understood;
    const { events, next } = await readPage(orgId, order, { after, limit: query.limit, maxBytes: pageBytes, matches });
    const data = await Promise.all(events.map(toEventResponse));
    return { data, nextCursor: next && encodeCursor(partsOf(kind, next)) };
  },
});

/** Null where the query names a customer who has no story. */
async function orderOf(orgId: string, query: ListQuery): Promise<EventOrder | null> {
  const { eventName, customerId, actorId, source, from, to } = query;
  const conditions = {
    from,
    to,
    filter: {
      ...(eventName !== undefined && { eventName }),
      ...(actorId !== undefined && { 'actor.id': actorId }),
      ...(source !== undefined && { 'source.system': source }),
    },
  };
  if (customerId === undefined) return byReceipt(orgId, conditions);
  const customer = await findSettledCustomer(orgId, { type: 'id', value: customerId.trim() });
  return customer === null ? null : byOccurrence(orgId, customer, conditions);
}

type Kind = 'received' | 'occurred';

function placeOf(cursor: string | undefined, kind: Kind): Place | null {
  const parts = decodeCursor(cursor, 4);
  if (!parts) return null;
  const [named, at = '', rank = '', eventId = ''] = parts;
  const instant = new Date(at);
  if (named !== kind || Number.isNaN(instant.getTime()) || !/^\d{0,9}$/.test(rank)) throw apiError('CURSOR_INVALID');
  return { at: instant, rank: rank === '' ? null : Number(rank), eventId };
}

const partsOf = (kind: Kind, { at, rank, eventId }: Place): string[] => [
  kind,
  at.toISOString(),
  String(rank ?? ''),
  eventId,
];

async function toEventResponse(event: KeptEvent): Promise<EventOutput> {
  return {
    ...toStoryEventResponse(event),
    customerId: await customerIdFor(event.orgId, event.identifiers),
    understood: isUnderstood(toStoredEvent(event)),
  };
}

const uuid = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** GET /events/:eventId: one event. An event that was erased, or is older than the plan's retention, is 404. */
export const readStoredEvent = defineAction({
  rest: 'GET /events/:eventId',
  summary: 'Read a business event',
  description:
    'Returns one event as it is stored, and the customer whose story shows it. An event that was erased, or is ' +
    "older than the plan's retention, is `NOT_FOUND`.",
  permission: 'context.story.read',
  tenant: 'required',
  input: { path: z.strictObject({ eventId: pathText(uuid) }) },
  output: eventOutput,
  errors: ['NOT_FOUND'],
  example: { path: { eventId: exampleOrder.eventId }, output: exampleEvent },
  async handler({ path, caller: { orgId } }) {
    const _id = eventKey(orgId, path.eventId.toLowerCase());
    const event = await EventModel.findOne({ orgId, _id }).lean<KeptEvent>();
    if (!event || event.stubUntil || event.expired) throw apiError('NOT_FOUND');
    return await toEventResponse(event);
  },
});
