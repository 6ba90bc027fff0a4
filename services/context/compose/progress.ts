import { createHash } from 'node:crypto';
import { fromNow, hour, leaseNow, now } from '../../../lib/data/clock.ts';
import { insertIfAbsent, nativeCollection } from '../../../lib/data/collection.ts';
import { parseJson } from '../../../lib/data/exact-json.ts';
import type { Language } from '../../../lib/format/language.ts';
import {
  type CustomerDocument,
  type CustomerListing,
  CustomerModel,
  type PreviousFold,
} from '../../../models/context/customer.ts';
import type { EventDocument } from '../../../models/context/event.ts';
import { type IdentifierDocument, IdentifierModel, identifierDocumentId } from '../../../models/context/identifier.ts';
import { comparePositions, noTiebreaker, type Position, positionAt, type StoredEvent } from '../story/event.ts';
import { identifierKey, parseIdentifierKey } from '../story/identifiers.ts';
import { composerVersion, emptyState, type StoryState } from '../story/state.ts';
import { foldEvent, renderStory, renderTitle, type Story } from '../story/story.ts';
import { listingOf } from './listing.ts';

/** The fold of a customer's events. `customerId` is the id in the first event that has one. */
export type Fold = { state: StoryState; customerId: string | null; firstKey: string | null };

/** The fold of the first `count` events, as JSON; the position is the position of the last of them. */
export type Checkpoint = Position & { count: number; fold: string };

/** `isBehind`: events after the last folded one may exist, so the story has to wait for them. */
export type Progress = { fold: Fold; checkpoints: Checkpoint[]; isBehind: boolean };

/** The distance of the last checkpoints in events; it doubles with their distance from the end. */
const spacing = 64;
/** The maximum bytes of one customer's checkpoints; beyond it every second one is dropped. */
const maxCheckpointBytes = 256 * 1024;

export function emptyProgress(isBehind: boolean): Progress {
  return { fold: emptyFold(), checkpoints: [], isBehind };
}

function emptyFold(): Fold {
  return { state: emptyState(), customerId: null, firstKey: null };
}

/**
 * Folds events that were just assigned to the customer into the progress. Events after the last folded one continue the
 * fold. An event before it, or an expired one, rewinds the fold to the checkpoint before the event: the following
 * events must be read again. A fold that is behind reads the events when it is continued.
 */
export function foldEvents(progress: Progress, events: EventDocument[]): Progress {
  const { last } = progress.fold.state;
  const positioned = events.map((event) => ({ event, place: foldKeyOf(event) }));
  positioned.sort((left, right) => comparePositions(left.place, right.place));
  const [earliest] = positioned;
  if (earliest && last && comparePositions(earliest.place, last) <= 0) return rewind(progress, earliest.place);
  if (progress.isBehind) return progress;
  return positioned.reduce((brought, { event }) => (event.expired ? brought : addEvent(brought, event)), progress);
}

/** A fold as it is stored, by any version of the composer. */
export type StoredFold = { foldState: string | null; checkpoints: Checkpoint[] };

/**
 * Rewinds the fold of another version of the composer to the checkpoint before the earliest of these events, as
 * `foldEvents` does; null when they all happened after its last event. It relies on the envelope alone, which every
 * version keeps: `state.last.at` and a checkpoint's `at` are the instant of the last event, and a checkpoint's `fold`
 * is a `foldState`. Versions order the events of one instant in different ways, so it rewinds to before the instant.
 */
export function rewindStored({ foldState, checkpoints }: StoredFold, events: EventDocument[]): StoredFold | null {
  if (foldState === null) return null;
  const { last } = (JSON.parse(foldState) as Fold).state;
  const earliest = Math.min(...events.map(({ occurredAt = new Date(0) }) => occurredAt.getTime()));
  if (!last || earliest > Date.parse(last.at)) return null;
  const kept = checkpoints.filter(({ at }) => Date.parse(at) < earliest);
  return { foldState: kept.at(-1)?.fold ?? null, checkpoints: kept };
}

/** Folds one more event, which must come after all folded before. */
export function addEvent(progress: Progress, event: EventDocument): Progress {
  const { state, customerId, firstKey } = progress.fold;
  const fold = {
    state: foldEvent(state, toStoredEvent(event)),
    customerId: customerId ?? customerIdOf(event),
    firstKey: firstKey ?? event.identifiers[0] ?? null,
  };
  const count = fold.state.eventCount;
  if (count % spacing !== 0) return { ...progress, fold };
  const checkpoint = { ...foldKeyOf(event), count, fold: JSON.stringify(fold) };
  return { ...progress, fold, checkpoints: thin([...progress.checkpoints, checkpoint], count) };
}

function rewind({ checkpoints }: Progress, position: Position): Progress {
  const kept = checkpointsBefore(checkpoints, position);
  const nearest = kept.at(-1);
  return { fold: nearest ? JSON.parse(nearest.fold) : emptyFold(), checkpoints: kept, isBehind: true };
}

function checkpointsBefore(checkpoints: Checkpoint[], position: Position): Checkpoint[] {
  return checkpoints.filter((checkpoint) => comparePositions(checkpoint, position) < 0);
}

/**
 * Keeps about one checkpoint for each doubling of the distance from the end: a rewind costs about as much as the event
 * is late, and a customer with a million events has 15. A count that is kept at a greater distance was kept at every
 * lesser one.
 */
function thin(checkpoints: Checkpoint[], count: number): Checkpoint[] {
  let kept = checkpoints.filter((checkpoint) => checkpoint.count % grainAt(count - checkpoint.count) === 0);
  while (kept.length > 1 && checkpointBytes(kept) > maxCheckpointBytes) {
    const { length } = kept;
    kept = kept.filter((_checkpoint, index) => (length - index) % 2 === 1);
  }
  return kept;
}

function grainAt(distance: number): number {
  return spacing * 2 ** Math.floor(Math.log2(Math.max(1, distance / spacing)));
}

/** The approximate stored size of checkpoints in bytes. */
export function checkpointBytes(checkpoints: Checkpoint[]): number {
  return checkpoints.reduce((sum, { fold }) => sum + fold.length, 0);
}

/** The position of an event among the events of its customer. */
export function foldKeyOf({
  eventId,
  occurredAt = new Date(0),
  tiebreaker = noTiebreaker,
}: Pick<EventDocument, 'eventId' | 'occurredAt' | 'tiebreaker'>): Position {
  return positionAt(occurredAt, tiebreaker, eventId);
}

/** The id that the organization's systems have for the customer of an event. */
export function customerIdOf(event: Pick<EventDocument, 'identifiers'>): string | null {
  const identifier = event.identifiers.map(parseIdentifierKey).find((candidate) => candidate?.type === 'id');
  return identifier?.value ?? null;
}

/** An event in the form of the story's pure functions. */
export function toStoredEvent(event: EventDocument): StoredEvent {
  return {
    eventId: event.eventId,
    eventName: event.eventName ?? '',
    occurredAt: event.occurredAt ?? new Date(0),
    actor: event.actor ?? { type: '', id: '' },
    source: event.source ?? { system: '', channel: '' },
    payload: parseJson(event.payload ?? '{}'),
    tiebreaker: event.tiebreaker ?? noTiebreaker,
  };
}

/** Not merged into another, and not being erased. */
export function isUsable({ mergedInto, erasing }: Pick<CustomerDocument, 'mergedInto' | 'erasing'>): boolean {
  return !mergedInto && !erasing;
}

/**
 * Whether the customer's fold is of a newer version of the composer. This node marks it for events and never replaces
 * it; a read continues the fold of this version (decision 0050).
 */
export function isNewer({ composerVersion: version }: Pick<CustomerDocument, 'composerVersion'>): boolean {
  return version > composerVersion;
}

/** `revision`: the revision that a write of this fold names. */
type OwnFold = StoredFold & { isBehind: boolean; revision: number };

/** The fold that this version of the composer continues; null when it must be opened first. */
function ownFold(document: CustomerDocument): OwnFold | null {
  const { composerVersion: version, previousFold, foldState, checkpoints = [], revision } = document;
  if (version === composerVersion) return { foldState, checkpoints, isBehind: document.composeAt != null, revision };
  // Folded again from the first event.
  if (version < composerVersion) return { foldState: null, checkpoints: [], isBehind: true, revision };
  if (previousFold?.composerVersion !== composerVersion) return null;
  return { ...previousFold, isBehind: previousFold.behindSince !== null };
}

/** The fold of this version of the composer as it is stored, if it includes all events of the customer. */
export function currentFold(document: CustomerDocument): Pick<CustomerDocument, 'orgId' | 'foldState'> | null {
  const own = ownFold(document);
  return own && !own.isBehind ? { orgId: document.orgId, foldState: own.foldState } : null;
}

export function progressOf(document: CustomerDocument): Progress {
  // Nothing was composed of them yet.
  if (document.revision === 0) return emptyProgress(false);
  const own = ownFold(document);
  if (!own || own.foldState === null) return emptyProgress(true);
  return { fold: JSON.parse(own.foldState), checkpoints: own.checkpoints, isBehind: own.isBehind };
}

/** The revision that a write of this version's fold names; null when the fold must be opened first. */
export function revisionOf(document: CustomerDocument): number | null {
  return ownFold(document)?.revision ?? null;
}

/** Opens the fold of this version of the composer for a customer whose fold is of a newer version. */
export async function openPreviousFold({ orgId, _id }: CustomerDocument): Promise<void> {
  const checkpoints: Checkpoint[] = [];
  const previousFold = { composerVersion, foldState: null, checkpoints, behindSince: now(), revision: 1 };
  const unopened = { 'previousFold.composerVersion': { $ne: composerVersion }, mergedInto: null, erasing: false };
  await nativeCollection<CustomerDocument>(CustomerModel).updateOne(
    { orgId, _id, composerVersion: { $gt: composerVersion }, ...unopened },
    { $set: { previousFold } },
  );
}

/** The field that an update of a customer unsets: the text that an earlier version stored. */
const storedText = { story: '' } as const;

/** The fields that the removal of a customer's fold unsets. */
export const discardedWithFold = { ...storedText, previousFold: '' } as const;

/** The fields that a customer who is merged or erased loses: they are in no list. */
export const discardedWithCustomer = { ...discardedWithFold, listing: '' } as const;

/** `bytes`: about how many it stores. */
export type Write = { filter: Filter; update: Update; bytes: number };
type Filter = { orgId: string; _id: string } & Record<string, string | number>;
type Update = { $set: Record<string, unknown>; $unset?: Record<string, ''>; $inc: Record<string, number> };

/**
 * The write succeeds only if the fold has that revision.
 *
 * @param added - events that were assigned to the customer with this write.
 */
export async function toWrite(
  document: CustomerDocument,
  revision: number,
  { fold, checkpoints, isBehind }: Progress,
  { added = [], dueAt = leaseNow() }: { added?: EventDocument[]; dueAt?: Date } = {},
): Promise<Write> {
  const { orgId, _id } = document;
  if (!isBehind) await nameCustomer(orgId, _id, fold);
  const stored = { foldState: JSON.stringify(fold), checkpoints };
  const bytes = stored.foldState.length + checkpointBytes(checkpoints);
  if (isNewer(document)) {
    const filter = { orgId, _id, 'previousFold.composerVersion': composerVersion, 'previousFold.revision': revision };
    const $set = ofPreviousFold({ ...stored, behindSince: isBehind ? now() : null });
    return { filter, update: { $set, $inc: { 'previousFold.revision': 1 } }, bytes };
  }
  const { $set = {}, $unset = {}, $inc = {} } = previousChanges(document, added);
  const changes = { ...stored, composerVersion, composeAt: isBehind ? dueAt : null, ...$set };
  const listing = isBehind ? {} : listingChange(listingOf(storyIdOf(orgId, fold), fold.state));
  const update = {
    $set: { ...changes, ...listing.$set },
    $unset: { ...storedText, ...$unset, ...listing.$unset },
    $inc: { revision: 1, ...$inc },
  };
  return { filter: { orgId, _id, revision }, update, bytes };
}

function listingChange(listing: CustomerListing | undefined): Partial<Update> {
  return listing ? { $set: { listing } } : { $unset: { listing: '' } };
}

/** The document after a write of this version's fold, for the next one: the replaced fold is kept once. */
export function asWritten(document: CustomerDocument): CustomerDocument {
  if (isNewer(document)) return document;
  const { previousFold: _kept, ...others } = document;
  return { ...others, composerVersion };
}

/**
 * Marks the folds of a customer whose fold is of a newer version: they are behind from the earliest of these events on.
 * A node of the newer version continues its fold; this version's is continued by a read.
 */
export function toMarks(document: CustomerDocument, added: EventDocument[]): Write {
  const { orgId, _id, revision, foldState, checkpoints = [], previousFold } = document;
  const rewound = rewindStored({ foldState, checkpoints }, added);
  const { $set = {}, $inc = {} } = previousFold ? markPrevious(previousFold, added) : {};
  const update = { $set: { ...rewound, composeAt: leaseNow(), ...$set }, $inc: { revision: 1, ...$inc } };
  return { filter: { orgId, _id, revision }, update, bytes: checkpointBytes(rewound?.checkpoints ?? []) };
}

/** After this time without progress, no node continues the fold of an older version. */
const previousFoldLife = hour;

/**
 * How a write of this version's fold changes the fold of an older version: the first write keeps the fold that it
 * replaces, later writes mark it for the events, and one that no node continues is removed.
 */
function previousChanges(document: CustomerDocument, added: EventDocument[]): Partial<Update> {
  const { composerVersion: version, foldState, checkpoints = [], composeAt = null, previousFold } = document;
  if (version < composerVersion && foldState !== null) {
    const replaced = { composerVersion: version, foldState, checkpoints, behindSince: composeAt, revision: 0 };
    const behindSince = added.length > 0 ? now() : composeAt;
    return { $set: { previousFold: { ...replaced, ...rewindStored(replaced, added), behindSince } } };
  }
  if (!previousFold) return {};
  const { behindSince } = previousFold;
  if (behindSince && behindSince < fromNow(-previousFoldLife)) return { $unset: { previousFold: '' } };
  return added.length > 0 ? markPrevious(previousFold, added) : {};
}

function markPrevious(previousFold: PreviousFold, added: EventDocument[]): Partial<Update> {
  const behindSince = previousFold.behindSince ?? now();
  const $set = ofPreviousFold({ ...rewindStored(previousFold, added), behindSince });
  return { $set, $inc: { 'previousFold.revision': 1 } };
}

function ofPreviousFold(changes: Partial<PreviousFold>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(changes).map(([field, value]) => [`previousFold.${field}`, value]));
}

/** Returns false when a concurrent write came first. */
export async function write({ filter, update }: Write): Promise<boolean> {
  const { matchedCount } = await nativeCollection<CustomerDocument>(CustomerModel).updateOne(filter, update);
  return matchedCount === 1;
}

/** The number of the writes that succeeded, each independently. */
export async function writeBatched(writes: Write[]): Promise<number> {
  const collection = nativeCollection<CustomerDocument>(CustomerModel);
  const { matchedCount } = await collection.bulkWrite(
    writes.map((updateOne) => ({ updateOne })),
    { ordered: false },
  );
  return matchedCount;
}

/** The story of a fold; null without a fold, and for one without events. */
export function toStory(orgId: string, fold: Fold | null, language: Language): Story | null {
  return fold && (renderStory(storyIdOf(orgId, fold), fold.state, language) ?? null);
}

/** The title of the story of a fold; null without a fold, and for one without events. */
export function toTitle(orgId: string, fold: Fold | null, language: Language): string | null {
  return fold && (renderTitle(storyIdOf(orgId, fold), fold.state, language) ?? null);
}

function storyIdOf(orgId: string, { customerId, firstKey }: Fold): string {
  return customerId ?? deriveCustomerId(orgId, firstKey);
}

/** The entry in the list of customers, from a stored fold; undefined when the fold is not current. */
export function storedListing(document: CustomerDocument): CustomerListing | undefined {
  const current = currentFold(document);
  const fold = current && storedFold(current);
  return fold ? listingOf(storyIdOf(document.orgId, fold), fold.state) : undefined;
}

/** The stored fold; null when nothing was composed. */
export function storedFold({ foldState }: Pick<CustomerDocument, 'foldState'>): Fold | null {
  return foldState === null ? null : JSON.parse(foldState);
}

/** The id of a customer whose events carry none: derived from the first of them, so a rebuild gives the same. */
export function deriveCustomerId(orgId: string, firstKey: string | null): string {
  const digest = createHash('sha256')
    .update(`${orgId}:${firstKey ?? ''}`)
    .digest('hex');
  return `cus_${digest.slice(0, 26)}`;
}

/** Stores the identifier of a customer whose events carry none. */
export async function nameCustomer(orgId: string, customer: string, fold: Fold): Promise<void> {
  if (fold.customerId !== null || !fold.state.last) return;
  const key = identifierKey({ type: 'id', value: deriveCustomerId(orgId, fold.firstKey) });
  const pointer = { _id: identifierDocumentId(orgId, key), orgId, key, customer };
  await insertIfAbsent<IdentifierDocument>(IdentifierModel, pointer);
}
