import { createHash } from 'node:crypto';
import { isDuplicateKey } from '../../lib/database-errors.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { type CustomerDocument, CustomerModel } from '../../models/context/customer.ts';
import { type EventDocument, EventModel } from '../../models/context/event.ts';
import { type IdentifierDocument, IdentifierModel, identifierDocumentId } from '../../models/context/identifier.ts';
import { comparePositions, type Position, positionOf, type StoredEvent } from './story/event.ts';
import { identifierKey, parseIdentifierKey } from './story/identifiers.ts';
import { composerVersion, emptyState, type StoryState } from './story/state.ts';
import { foldEvent, renderStory } from './story/story.ts';

/** The state from which the next composition continues. `customerId` is that of the first event that names one. */
type Fold = { state: StoryState; customerId: string | null; firstKey: string | null };

/**
 * Composes a customer's story from all events assigned to them and stores it, unless the customer was merged or erased
 * (false). The write succeeds only if the customer is unchanged since it was read; else the composition starts again.
 */
export async function composeStory(orgId: string, customer: string): Promise<boolean> {
  for (;;) {
    const document = await CustomerModel.findOne({ orgId, _id: customer }).lean();
    if (!document || document.mergedInto || document.erasing) return false;
    const { filter, update } = await toWrite(document, await foldAll(document));
    const { matchedCount } = await CustomerModel.updateOne(filter, update);
    if (matchedCount === 1) return true;
  }
}

/**
 * Continues the stories of many customers at once, each by the events just assigned to them, and returns the customers
 * whose stories it wrote. The others have to be composed from all their events: those with an event that comes before
 * one that is folded already, those merged or under erasure, and all of them after a concurrent write.
 */
export async function composeStories(orgId: string, added: Map<string, EventDocument[]>): Promise<Set<string>> {
  const documents = await CustomerModel.find({ orgId, _id: { $in: [...added.keys()] } }).lean<CustomerDocument[]>();
  const told = new Set<string>();
  const writes = [];
  for (const document of documents) {
    const fold = continueFold(document, added.get(document._id) ?? []);
    if (!fold) continue;
    writes.push({ updateOne: await toWrite(document, fold) });
    told.add(document._id);
  }
  if (writes.length === 0) return told;
  const collection = nativeCollection<CustomerDocument>(CustomerModel);
  const { matchedCount } = await collection.bulkWrite(writes, { ordered: false });
  return matchedCount === told.size ? told : new Set();
}

async function toWrite({ orgId, _id, revision }: CustomerDocument, fold: Fold) {
  const story = await toStory(orgId, _id, fold);
  const changes = { story, foldState: JSON.stringify(fold), rebuild: false, composerVersion };
  return { filter: { orgId, _id, revision }, update: { $set: changes, $inc: { revision: 1 } } };
}

/** Null when the stored fold cannot be continued, or one of the events comes before another that was folded. */
function continueFold(document: CustomerDocument, added: EventDocument[]): Fold | null {
  const fold = storedFold(document);
  if (!fold) return null;
  const { last } = fold.state;
  const areLater = added.every((event) => !event.expired && isAfter(event, last));
  return areLater ? added.toSorted(inOrder).reduce(addEvent, fold) : null;
}

function storedFold(document: CustomerDocument): Fold | null {
  if (document.mergedInto || document.erasing || document.rebuild) return null;
  // No story was composed of them yet.
  if (document.revision === 0) return emptyFold();
  const isCurrent = document.foldState !== null && document.composerVersion === composerVersion;
  return isCurrent ? JSON.parse(document.foldState ?? '') : null;
}

function emptyFold(): Fold {
  return { state: emptyState(), customerId: null, firstKey: null };
}

async function foldAll({ orgId, _id: customer }: CustomerDocument): Promise<Fold> {
  const events = EventModel.find({ orgId, customer, expired: { $ne: true } })
    .sort({ occurredAt: 1, eventId: 1 })
    .lean<EventDocument[]>()
    .cursor({ batchSize: 500 });
  let fold = emptyFold();
  for await (const event of events as AsyncIterable<EventDocument>) fold = addEvent(fold, event);
  return fold;
}

function addEvent({ state, customerId, firstKey }: Fold, event: EventDocument): Fold {
  return {
    state: foldEvent(state, toStoredEvent(event)),
    customerId: customerId ?? customerIdOf(event),
    firstKey: firstKey ?? event.identifiers[0] ?? null,
  };
}

function inOrder(left: EventDocument, right: EventDocument): number {
  return comparePositions(placeOf(left), placeOf(right));
}

function isAfter(event: EventDocument, last: Position | null): boolean {
  return last === null || comparePositions(placeOf(event), last) > 0;
}

function placeOf({ eventId, occurredAt = new Date(0) }: EventDocument): Position {
  return positionOf({ eventId, occurredAt });
}

function customerIdOf(event: EventDocument): string | null {
  const identifier = event.identifiers.map(parseIdentifierKey).find((candidate) => candidate?.type === 'id');
  return identifier?.value ?? null;
}

async function toStory(orgId: string, customer: string, fold: Fold): Promise<CustomerDocument['story']> {
  const { state, firstKey } = fold;
  const customerId = fold.customerId ?? deriveCustomerId(orgId, firstKey ?? '');
  const told = renderStory(customerId, state);
  if (!told) return null;
  if (fold.customerId === null) await nameCustomer(orgId, customer, customerId);
  const { title, summary, updatedAt } = told;
  return { customerId, title, summary, updatedAt };
}

/** The id of a customer whose events carry none: derived from the first of them, so a rebuild gives the same. */
function deriveCustomerId(orgId: string, firstKey: string): string {
  const digest = createHash('sha256').update(`${orgId}:${firstKey}`).digest('hex');
  return `cus_${digest.slice(0, 26)}`;
}

async function nameCustomer(orgId: string, customer: string, customerId: string): Promise<void> {
  const key = identifierKey({ type: 'id', value: customerId });
  const pointer = { _id: identifierDocumentId(orgId, key), orgId, key, customer };
  await nativeCollection<IdentifierDocument>(IdentifierModel)
    .insertOne(pointer)
    .catch((error) => {
      if (!isDuplicateKey(error)) throw error;
    });
}

/** An event in the form of the story's pure functions. */
export function toStoredEvent(event: EventDocument): StoredEvent {
  return {
    eventId: event.eventId,
    eventName: event.eventName ?? '',
    occurredAt: event.occurredAt ?? new Date(0),
    actor: event.actor ?? { type: '', id: '' },
    source: event.source ?? { system: '', channel: '' },
    payload: JSON.parse(event.payload ?? '{}'),
  };
}
