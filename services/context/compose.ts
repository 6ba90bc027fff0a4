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

/** What a composition leaves for the next to continue from. `customerId` is that of the first event that names one. */
type Fold = { state: StoryState; customerId: string | null; firstKey: string | null };

/**
 * Composes a customer's story and stores it, unless the customer was merged or erased (false). When the events `added`,
 * which must be assigned to the customer already, come after everything folded so far, the stored fold is continued
 * with them; otherwise it is made anew from all events. The write holds only if nothing changed since the customer was
 * read; else the composition starts again from what is true now.
 */
export async function composeStory(orgId: string, customer: string, added?: EventDocument[]): Promise<boolean> {
  for (;;) {
    const document = await CustomerModel.findOne({ orgId, _id: customer }).lean();
    if (!document || document.mergedInto || document.erasing) return false;
    const fold = continueFold(document, added) ?? (await foldAll(document));
    const story = await toStory(orgId, customer, fold);
    const { matchedCount } = await CustomerModel.updateOne(
      { orgId, _id: customer, revision: document.revision },
      { $set: { story, foldState: JSON.stringify(fold), rebuild: false, composerVersion }, $inc: { revision: 1 } },
    );
    if (matchedCount === 1) return true;
  }
}

/** Null when one of the events comes before another that was folded, or the stored fold cannot be continued. */
function continueFold(document: CustomerDocument, added: EventDocument[] | undefined): Fold | null {
  if (!added || document.rebuild || !document.foldState || document.composerVersion !== composerVersion) return null;
  const fold = JSON.parse(document.foldState) as Fold;
  const { last } = fold.state;
  const areLater = added.every((event) => !event.expired && isAfter(event, last));
  return areLater ? added.toSorted(inOrder).reduce(addEvent, fold) : null;
}

async function foldAll({ orgId, _id: customer }: CustomerDocument): Promise<Fold> {
  const events = EventModel.find({ orgId, customer, expired: { $ne: true } })
    .sort({ occurredAt: 1, eventId: 1 })
    .lean<EventDocument[]>()
    .cursor({ batchSize: 500 });
  let fold: Fold = { state: emptyState(), customerId: null, firstKey: null };
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

/** An event as the story's pure functions take it. */
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
