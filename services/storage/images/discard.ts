import { fromNow, minute } from '../../../lib/clock.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { type DerivativeDocument, DerivativeModel } from '../../../models/storage/derivative.ts';
import { type UploadDocument, UploadModel } from '../../../models/storage/upload.ts';
import { objectStore } from '../transfers/running-store.ts';
import { beginEviction, releaseRoom } from './usage.ts';

/** A grace period for readers that looked up a derivative before its deletion and have not opened its file yet. */
const readersTime = minute;
/** The maximum of derivatives of one version. */
const maxPerVersion = 200;
const keptOfMost = 160;
const batch = 500;
/** The share of an organization's maximum that remains after an eviction. */
const keptAfterEviction = 0.8;
const evictionBatchSize = 100;

/**
 * Deletes a derivative, unless it was used since it was read. An upload record marked as given up references its file
 * until the sweep deletes it.
 */
export async function discard({ orgId, _id, version, file, size, usedAt }: DerivativeDocument): Promise<void> {
  const ended = { state: 'givenUp' as const, signedUntil: null, dueAt: fromNow(readersTime) };
  await insertIfAbsent<UploadDocument>(UploadModel, { _id: version, orgId, version, file, ...ended });
  const { deletedCount } = await DerivativeModel.deleteOne({ orgId, _id, version, usedAt });
  if (deletedCount === 1) await releaseRoom(orgId, size);
}

/** Evicts the least recently used derivatives of an organization until these bytes fit below a share of its maximum. */
export async function evictFor(orgId: string, bytes: number, max: number): Promise<void> {
  const stored = await beginEviction(orgId);
  if (stored === null) return;
  for (let excess = stored + bytes - max * keptAfterEviction; excess > 0; ) {
    const least = await DerivativeModel.find({ orgId })
      .sort({ usedAt: 1 })
      .limit(evictionBatchSize)
      .lean<DerivativeDocument[]>();
    for (const derivative of least) {
      if (excess <= 0) return;
      await discard(derivative);
      excess -= derivative.size;
    }
    if (least.length < evictionBatchSize) return;
  }
}

/** The number of derivatives per version when last counted, and the number stored since. */
const counts = new Map<string, { present: number; since: number }>();
const maxCounts = 1000;
/** Counts again after this many, because other nodes store derivatives too. */
const countedEvery = 16;

/** Call after each stored derivative: deletes the least recently used ones of a version beyond the maximum. */
export async function evictBeyondLimit(orgId: string, source: string): Promise<void> {
  const counted = counts.get(source);
  if (counted) counted.since += 1;
  if (counted && counted.since < countedEvery && counted.present + counted.since <= maxPerVersion) return;
  const present = await DerivativeModel.countDocuments({ orgId, source });
  if (counts.size >= maxCounts) counts.clear();
  counts.set(source, { present: Math.min(present, maxPerVersion), since: 0 });
  if (present <= maxPerVersion) return;
  const least = await DerivativeModel.find({ orgId, source })
    .sort({ usedAt: 1 })
    .limit(present - keptOfMost)
    .lean<DerivativeDocument[]>();
  for (const derivative of least) await discard(derivative);
}

/** Deletes the derivatives of versions that are no longer read, with their files. Repeatable. */
export async function removeDerivatives(orgId: string, sources: readonly string[]): Promise<void> {
  await removeAll({ orgId, source: { $in: [...sources] } });
}

/** Deletes up to 500 derivatives of an organization; returns whether none remain. */
export async function removeSomeDerivatives(orgId: string): Promise<boolean> {
  return (await removeSome({ orgId })) < batch;
}

type Filter = { orgId: string; source?: { $in: string[] } };

async function removeAll(filter: Filter): Promise<void> {
  while ((await removeSome(filter)) === batch);
}

async function removeSome(filter: Filter): Promise<number> {
  const { orgId } = filter;
  const batchOfDerivatives = await DerivativeModel.find(filter).limit(batch).lean<DerivativeDocument[]>();
  if (batchOfDerivatives.length === 0) return 0;
  await objectStore().remove(batchOfDerivatives.map(({ file }) => file));
  const { deletedCount } = await DerivativeModel.deleteMany({
    orgId,
    _id: { $in: batchOfDerivatives.map(({ _id }) => _id) },
  });
  if (deletedCount === batchOfDerivatives.length) await releaseRoom(orgId, totalSizeOf(batchOfDerivatives));
  return batchOfDerivatives.length;
}

export const totalSizeOf = (some: readonly { size: number }[]): number => some.reduce((sum, { size }) => sum + size, 0);
