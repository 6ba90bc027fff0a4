import { createHash } from 'node:crypto';
import { now } from '../../lib/clock.ts';
import { insertUnlessThere } from '../../lib/insert-unless-there.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { type CustomerDocument, CustomerModel } from '../../models/context/customer.ts';
import { type IdentifierDocument, IdentifierModel, identifierDocumentId } from '../../models/context/identifier.ts';
import { checkpointBytes, emptyProgress, type Fold, type Progress } from './fold.ts';
import { identifierKey } from './story/identifiers.ts';
import { composerVersion } from './story/state.ts';
import { renderStory, type Story } from './story/story.ts';

/** Not merged into another, and not being erased. */
export function isUsable({ mergedInto, erasing }: Pick<CustomerDocument, 'mergedInto' | 'erasing'>): boolean {
  return !mergedInto && !erasing;
}

/** A story or fold of another version of the composer is made again from the first event. */
export function progressOf({ revision, foldState, composerVersion: version, ...stored }: CustomerDocument): Progress {
  // Nothing was composed of them yet.
  if (revision === 0) return emptyProgress(false);
  if (foldState === null || version !== composerVersion) return emptyProgress(true);
  return { fold: JSON.parse(foldState), checkpoints: stored.checkpoints ?? [], isBehind: stored.composeAt != null };
}

/** What an update of a customer unsets: the text that an earlier version stored. */
export const storedText = { story: '' } as const;

export type Write = Awaited<ReturnType<typeof toWrite>>;

/** The write succeeds only if the customer has that revision. */
export async function toWrite({ orgId, _id }: CustomerDocument, revision: number, progress: Progress, dueAt = now()) {
  const { fold, checkpoints, isBehind } = progress;
  const changes = { foldState: JSON.stringify(fold), checkpoints, composerVersion, composeAt: isBehind ? dueAt : null };
  if (!isBehind) await nameCustomer(orgId, _id, fold);
  return { filter: { orgId, _id, revision }, update: { $set: changes, $unset: storedText, $inc: { revision: 1 } } };
}

/** About how many bytes a write stores: the fold, and those of the checkpoints. */
export function bytesOf({ update: { $set: stored } }: Write): number {
  return stored.foldState.length + checkpointBytes(stored.checkpoints);
}

/** False when another write came before. */
export async function write({ filter, update }: Write): Promise<boolean> {
  const { matchedCount } = await nativeCollection<CustomerDocument>(CustomerModel).updateOne(filter, update);
  return matchedCount === 1;
}

/** How many of the writes succeeded. Each does so on its own. */
export async function writeTogether(writes: Write[]): Promise<number> {
  const collection = nativeCollection<CustomerDocument>(CustomerModel);
  const { matchedCount } = await collection.bulkWrite(
    writes.map((updateOne) => ({ updateOne })),
    { ordered: false },
  );
  return matchedCount;
}

/** The story that a fold tells; null when there is nothing to tell. */
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
  await insertUnlessThere<IdentifierDocument>(IdentifierModel, pointer);
}
