import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { apiError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/exact-json.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../lib/page.ts';
import { type EventDocument, EventModel } from '../../models/context/event.ts';
import { exampleOrder, examplePayment } from './event-input.ts';
import { customerPath, exampleStory, findOne } from './stories.ts';
import { noTiebreaker } from './story/event.ts';

const timestamp = z.string();
const listedEvent = z
  .strictObject({
    schemaVersion: z.string(),
    tenantId: z.string(),
    eventId: z.string(),
    eventName: z.string(),
    occurredAt: timestamp,
    actor: z.strictObject({ type: z.string(), id: z.string() }),
    source: z.strictObject({ system: z.string(), channel: z.string() }),
    payload: z.record(z.string(), z.unknown()),
    receivedAt: timestamp,
  })
  .meta({ id: 'StoryEvent' });

/** NATS carries 1 MiB in one message; the envelope and the largest single event fit into the rest. */
const pageBytes = 512 * 1024;

/**
 * GET /v1/story/customers/:customerId/events: the events of a story, in its order. A page of large events may hold
 * fewer than requested; only `nextCursor` shows whether there are more.
 */
export const listStoryEvents = defineAction({
  rest: 'GET /v1/story/customers/:customerId/events',
  summary: "List the events of a customer's story",
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
      .lean<Kept[]>()
      .cursor({ batchSize: 21 });
    const { rows, limit } = await readWithin(pageBytes, query.limit, events as AsyncIterable<Kept>);
    return toPage(rows, limit, positionParts, toStoryEventResponse);
  },
});

type Kept = Required<EventDocument>;

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
async function readWithin(bytes: number, limit: number, events: AsyncIterable<Kept>) {
  const rows: Kept[] = [];
  let remainingBytes = bytes;
  for await (const event of events) {
    rows.push(event);
    remainingBytes -= Buffer.byteLength(event.payload);
    if (remainingBytes < 0 && rows.length > 1) return { rows, limit: rows.length - 1 };
  }
  return { rows, limit };
}

const positionParts = ({ occurredAt, tiebreaker, eventId }: Kept): string[] => [
  occurredAt.toISOString(),
  String(tiebreaker ?? ''),
  eventId,
];

function toStoryEventResponse(event: Kept): z.output<typeof listedEvent> {
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

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.story.events': typeof listStoryEvents;
  }
}
