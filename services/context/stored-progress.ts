import { createHash } from 'node:crypto';
import { fromNow, hour, leaseNow, now } from '../../lib/clock.ts';
import { insertIfAbsent } from '../../lib/insert-unless-there.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { type CustomerDocument, CustomerModel, type PreviousFold } from '../../models/context/customer.ts';
import type { EventDocument } from '../../models/context/event.ts';
import { type IdentifierDocument, IdentifierModel, identifierDocumentId } from '../../models/context/identifier.ts';
import {
  type Checkpoint,
  checkpointBytes,
  emptyProgress,
  type Fold,
  type Progress,
  rewindStored,
  type StoredFold,
} from './fold.ts';
import { identifierKey } from './story/identifiers.ts';
import { composerVersion } from './story/state.ts';
import { renderStory, type Story } from './story/story.ts';

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
  const update = { $set: changes, $unset: { ...storedText, ...$unset }, $inc: { revision: 1, ...$inc } };
  return { filter: { orgId, _id, revision }, update, bytes };
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

/** The story of a fold; null when it has none. */
export function toStory(orgId: string, { customerId, firstKey, state }: Fold): Story | null {
  return renderStory(customerId ?? deriveCustomerId(orgId, firstKey), state) ?? null;
}

/** The story of a stored fold; null when nothing was composed. */
export function storedStory({ orgId, foldState }: Pick<CustomerDocument, 'orgId' | 'foldState'>): Story | null {
  return foldState === null ? null : toStory(orgId, JSON.parse(foldState));
}

/** The id of a customer whose events carry none: derived from the first of them, so a rebuild gives the same. */
function deriveCustomerId(orgId: string, firstKey: string | null): string {
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
