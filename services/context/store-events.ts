import { hashJson } from '../../lib/canonical-json.ts';
import { now } from '../../lib/clock.ts';
import { isDuplicateKey } from '../../lib/database-errors.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { settings } from '../../lib/settings.ts';
import { type EventDocument, EventModel, eventKey } from '../../models/context/event.ts';
import { wakeComposer } from './composer.ts';
import type { EventInput } from './event-input.ts';
import { identifierKey, identifiersOf } from './story/identifiers.ts';

/** `repeated`: the event had been accepted before; `conflicting`: another event had, under the same id. */
export type Outcome = 'accepted' | 'repeated' | 'conflicting';

/** Stores an event durably unless its id was taken. The insert is the check, so of two at once one is accepted. */
export async function storeEvent(orgId: string, event: EventInput): Promise<Outcome> {
  const document = toDocument(orgId, event);
  try {
    await nativeCollection<EventDocument>(EventModel).insertOne(document);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return compareWithFormer(document);
  }
  if (document.pending) wakeComposer();
  return 'accepted';
}

/** Stores each event of a batch on its own: one that was sent before does not keep the others out. */
export async function storeEvents(orgId: string, events: EventInput[]): Promise<Outcome[]> {
  const documents = events.map((event) => toDocument(orgId, event));
  const refused = await insertEach(documents);
  if (documents.some((document, place) => document.pending && !refused.has(place))) wakeComposer();
  return Promise.all(
    documents.map((document, place) => (refused.has(place) ? compareWithFormer(document) : ('accepted' as const))),
  );
}

async function insertEach(documents: EventDocument[]): Promise<Set<number>> {
  if (documents.length === 0) return new Set();
  try {
    await nativeCollection<EventDocument>(EventModel).insertMany(documents, { ordered: false });
    return new Set();
  } catch (error) {
    const writeErrors = writeErrorsOf(error);
    if (!writeErrors?.every((writeError) => writeError.code === 11000)) throw error;
    return new Set(writeErrors.map((writeError) => writeError.index));
  }
}

type WriteError = { code: number; index: number };

function writeErrorsOf(error: unknown): WriteError[] | null {
  if (!isDuplicateKey(error)) return null;
  const { writeErrors } = error as { writeErrors?: WriteError | WriteError[] };
  return writeErrors === undefined ? null : [writeErrors].flat();
}

/** Of a stub only the id is left, so a repetition of it cannot be told from a conflict and counts as repeated. */
async function compareWithFormer({ orgId, _id, contentHash }: EventDocument): Promise<Outcome> {
  const former = await EventModel.findOne({ orgId, _id }, { contentHash: 1 }).lean();
  return former?.contentHash === undefined || former.contentHash === contentHash ? 'repeated' : 'conflicting';
}

function toDocument(orgId: string, event: EventInput): EventDocument {
  const eventId = event.eventId.toLowerCase();
  const occurredAt = new Date(event.occurredAt);
  const identifiers = identifiersOf(event, settings.DEFAULT_COUNTRY).map(identifierKey);
  const receivedAt = now();
  return {
    _id: eventKey(orgId, eventId),
    orgId,
    eventId,
    contentHash: hashJson({ ...event, eventId, occurredAt }),
    schemaVersion: event.schemaVersion,
    eventName: event.eventName,
    occurredAt,
    actor: event.actor,
    source: event.source,
    payload: JSON.stringify(event.payload),
    identifiers,
    receivedAt,
    // An event without a customer shows in no story: there is nothing left to do for it.
    pending: identifiers.length > 0,
    attempts: 0,
    nextAttemptAt: receivedAt,
  };
}
