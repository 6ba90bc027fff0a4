import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { errorCatalogue } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, timestamp, toPage } from '../../lib/contract/input.ts';
import { day, fromNow } from '../../lib/data/clock.ts';
import { removeAcrossTenants } from '../../lib/data/collection.ts';
import { randomId } from '../../lib/data/ids.ts';
import {
  type RefusedEventDocument,
  RefusedEventModel,
  refusedEventPrefix,
} from '../../models/context/refused-event.ts';
import { exampleOrder } from './ingest/event-input.ts';

const keptMilliseconds = 7 * day;
const maxKept = 1000;

const refusedOutput = z
  .strictObject({
    id: z.string(),
    refusedAt: timestamp.describe('When it was refused.'),
    eventId: z.string().nullable().describe('The UUID of the event; null if it had no valid one.'),
    eventName: z.string().nullable().describe('The name of the event; null if it had no valid one.'),
    sender: z
      .strictObject({
        type: z.enum(['application', 'user']).describe('Whether an application or a user sent it.'),
        id: z.string().describe('The id of the application or user.'),
      })
      .describe('The application or user who sent it.'),
    isBatch: z.boolean().describe('Whether it was sent in a batch.'),
    error: z.string().describe('The error code.'),
    message: z.string().describe('The reason as a sentence.'),
    details: z
      .array(
        z
          .strictObject({
            path: z.string().describe('The field within the event.'),
            message: z.string().describe('The rule that the value violates.'),
          })
          .meta({ id: 'RefusedField' }),
      )
      .describe('The invalid fields.'),
    omitted: z
      .int()
      .describe('The number of refused events before this one that are not listed, because there were too many.'),
  })
  .meta({ id: 'RefusedEvent' });

/**
 * GET /events/refused: the events that were refused, the newest first: the last 1,000 of seven days, of which each node
 * keeps 60 a minute. An event with the id of a stored event is in it only if its content differs.
 */
export const listRefusedEvents = defineAction({
  rest: 'GET /events/refused',
  summary: 'List refused events and the reasons',
  description:
    'Returns the events that were refused, the newest first, with the reason of each: the last 1,000 of seven ' +
    'days. In a flood of refusals some are not kept; `omitted` counts them. A repetition of a stored event is not ' +
    'listed, unless its content differs.',
  permission: 'context.story.read',
  tenant: 'required',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(refusedOutput),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20' },
    output: {
      data: [
        {
          id: exampleId('rfe'),
          refusedAt: exampleInstant,
          eventId: exampleOrder.eventId,
          eventName: exampleOrder.eventName,
          sender: { type: 'application', id: exampleId('app') },
          isBatch: false,
          error: 'INPUT_INVALID',
          message: errorCatalogue.INPUT_INVALID.message,
          details: [{ path: 'occurredAt', message: 'Must be at most 5 minutes in the future.' }],
          omitted: 0,
        },
      ],
      nextCursor: null,
    },
  },
  async handler({ query: { limit, cursor }, caller: { orgId } }) {
    const [before] = decodeCursor(cursor, 1) ?? [];
    const refused = await RefusedEventModel.find({ orgId, ...(before !== undefined && { _id: { $lt: before } }) })
      .sort({ _id: -1 })
      .limit(limit + 1)
      .lean<RefusedEventDocument[]>();
    return toPage(refused, limit, ({ _id }) => [_id], toRefusedEventResponse);
  },
});

function toRefusedEventResponse(refused: RefusedEventDocument): z.output<typeof refusedOutput> {
  const { _id, refusedAt, eventId, eventName, sender, isBatch, code, message, details, omitted } = refused;
  const at = refusedAt.toISOString();
  return { id: _id, refusedAt: at, eventId, eventName, sender, isBatch, error: code, message, details, omitted };
}

/** Removes all but the newest refused events of an organization. */
export async function trimRefused(orgId: string): Promise<void> {
  const [first] = await RefusedEventModel.find({ orgId }, { _id: 1 }).sort({ _id: -1 }).skip(maxKept).limit(1).lean();
  if (first) await RefusedEventModel.deleteMany({ orgId, _id: { $lte: first._id } });
}

/** Removes the refused events of all organizations whose time is over. Their ids begin with their time. */
export async function removeOldRefused(signal: AbortSignal): Promise<void> {
  const end = randomId(refusedEventPrefix, fromNow(-keptMilliseconds));
  await removeAcrossTenants(RefusedEventModel, { _id: { $lt: end } }, signal);
}
