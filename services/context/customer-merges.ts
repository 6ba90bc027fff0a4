import { randomUUID } from 'node:crypto';
import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { requirePermission } from '../../lib/contract/authorize.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../lib/contract/errors.ts';
import { singleLine } from '../../lib/contract/input.ts';
import { fromNow, minute, now } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { pagesByInstant, type Sweep, sweepItems } from '../../lib/data/sweep.ts';
import { type CustomerMergeDocument, CustomerMergeModel } from '../../models/context/customer-merge.ts';
import { type EventDocument, EventModel } from '../../models/context/event.ts';
import { customerIdOf, deriveCustomerId, foldKeyOf } from './compose/progress.ts';
import { joinCustomers } from './customers.ts';
import { customerPath, exampleStory, findOne, languageQuery, readStory, storyOutput } from './stories.ts';
import { comparePositions } from './story/event.ts';
import { type Identifier, identifierKey } from './story/identifiers.ts';

/**
 * POST /v1/story/customers/:customerId/merge: makes one customer of two, as an event with identifiers of both does. The
 * answer is a story, so the caller must be allowed to read it. A repetition finds one customer and changes nothing.
 */
export const mergeCustomers = defineAction({
  rest: 'POST /v1/story/customers/:customerId/merge',
  summary: 'Merge two customers',
  description:
    'Makes one customer of two records of the same person, with one story of all their events, and returns the ' +
    'story. Its `customerId` is the id of the earliest event; both ids lead to it afterwards. The permission ' +
    '`context.story.read` is required too. Customers who are one already are not changed, so a repetition is safe. ' +
    'A merge cannot be undone.',
  permission: 'context.events.write',
  tenant: 'required',
  input: {
    path: customerPath,
    query: z.strictObject(languageQuery),
    body: z
      .strictObject({ customerId: singleLine(256).describe('The id of the other customer.') })
      .meta({ id: 'CustomerMergeInput' }),
  },
  output: storyOutput,
  errors: ['STORY_NOT_FOUND'],
  example: {
    path: { customerId: exampleStory.customerId },
    query: { language: 'en' },
    body: { customerId: 'guest-77' },
    output: exampleStory,
  },
  async handler({ path, query: { language }, body, caller, ctx }) {
    requirePermission(caller, 'context.story.read');
    const { orgId } = caller;
    const identifier = idOf(path.customerId.trim());
    const other = idOf(body.customerId);
    if (other.value === identifier.value) {
      throw inputError([{ path: 'body.customerId', message: 'Must be the id of another customer.' }]);
    }
    // Both have a story, or nothing is changed.
    const { customerId } = await readStory(orgId, [identifier]);
    const { customerId: otherId } = await readStory(orgId, [other]);
    if (otherId !== customerId) {
      const target = { type: 'customer', id: customerId };
      // Recorded first: an act that cannot be undone may be recorded twice, but is never missing.
      await recordAuditEvent(ctx, { action: 'customer.merged', orgId, target, after: { mergedWith: otherId } });
      await runMerge(await beginMerge(orgId, [customerId, otherId]));
    }
    return await readStory(orgId, [identifier], language);
  },
});

const idOf = (value: string): Identifier => ({ type: 'id', value });

const retryAfter = minute;
const batch = 100;
const mergeConcurrency = 4;

/** Stores a merge of the customers with these ids. Once stored, {@link runMerge} or the sweep completes it. */
export async function beginMerge(orgId: string, customerIds: [string, string]): Promise<CustomerMergeDocument> {
  const identifiers = customerIds.map((id) => identifierKey(idOf(id)));
  const merge = { _id: randomUUID(), orgId, identifiers, dueAt: fromNow(retryAfter) };
  await insertIfAbsent<CustomerMergeDocument>(CustomerMergeModel, merge);
  return merge;
}

/** Completes a stored merge. Without effect once one of the customers is erased. */
export async function runMerge({ _id, orgId, identifiers }: CustomerMergeDocument): Promise<void> {
  await joinCustomers(orgId, identifiers);
  await CustomerMergeModel.deleteOne({ orgId, _id });
}

/** Completes the merges that a crash interrupted. */
export async function sweepMerges(_broker: ServiceBroker, sweep: Sweep): Promise<void> {
  const due = pagesByInstant<CustomerMergeDocument>(CustomerMergeModel, { field: 'dueAt', until: now() }, batch);
  await sweepItems(sweep, due, mergeConcurrency, runMerge);
}

/**
 * Predicts the id of the story that the customers with these ids have once they are merged: the id in the earliest
 * event that has one, otherwise the id that is derived from the earliest event.
 *
 * @throws STORY_NOT_FOUND one of them has no events.
 */
export async function idAfterMerge(orgId: string, customerIds: [string, string]): Promise<string> {
  const customers = await Promise.all(customerIds.map((id) => findOne(orgId, [idOf(id)])));
  const beginnings = await Promise.all(customers.map((customer) => readBeginning(orgId, customer)));
  const named = earliestOf(beginnings.flatMap(({ named: event }) => event ?? []));
  const first = earliestOf(beginnings.flatMap(({ first: event }) => event ?? []));
  if (!first) throw apiError('STORY_NOT_FOUND');
  return (named && customerIdOf(named)) ?? deriveCustomerId(orgId, first.identifiers[0] ?? null);
}

type Place = Pick<EventDocument, 'identifiers' | 'eventId' | 'occurredAt' | 'tiebreaker'>;

/** The first event of a customer, and the first with an id of the organization's systems. */
async function readBeginning(orgId: string, customer: string): Promise<{ first?: Place; named?: Place }> {
  const events = EventModel.find({ orgId, customer, expired: { $ne: true } })
    .select({ identifiers: 1, eventId: 1, occurredAt: 1, tiebreaker: 1 })
    .sort({ occurredAt: 1, tiebreaker: 1, eventId: 1 })
    .lean<Place[]>()
    .cursor();
  let first: Place | undefined;
  for await (const event of events as AsyncIterable<Place>) {
    first ??= event;
    if (customerIdOf(event) !== null) return { first, named: event };
  }
  return first ? { first } : {};
}

function earliestOf(events: Place[]): Place | undefined {
  return events.toSorted((left, right) => comparePositions(foldKeyOf(left), foldKeyOf(right)))[0];
}
