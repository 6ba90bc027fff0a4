import { fromNow, minute } from '../../../lib/clock.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { type DerivativeDocument, DerivativeModel } from '../../../models/storage/derivative.ts';
import { type UploadDocument, UploadModel } from '../../../models/storage/upload.ts';
import { objectStore } from '../transfers/running-store.ts';
import { beginEviction, releaseRoom } from './usage.ts';

/** A reader that looked a derivative up before it was discarded may still open its file. */
const readersTime = minute;
/** Of one version. */
const most = 200;
const keptOfMost = 160;
const batch = 500;
/** The share of an organization's maximum that remains after an eviction. */
const keptAfterEviction = 0.8;
const evictionBatchSize = 100;

/**
 * Discards a derivative, unless it was used since it was read. The record of an upload that was given up names its file
 * until the sweep has removed it.
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

/** How many a version had when they were counted, and how many were stored since. */
const counts = new Map<string, { present: number; since: number }>();
const maxCounts = 1000;
/** Other nodes store some too. */
const countedEvery = 16;

/** To be called for each that is stored: discards those of a version that were not used for longest, when there are too many. */
export async function evictBeyondLimit(orgId: string, source: string): Promise<void> {
  const counted = counts.get(source);
  if (counted) counted.since += 1;
  if (counted && counted.since < countedEvery && counted.present + counted.since <= most) return;
  const present = await DerivativeModel.countDocuments({ orgId, source });
  if (counts.size >= maxCounts) counts.clear();
  counts.set(source, { present: Math.min(present, most), since: 0 });
  if (present <= most) return;
  const least = await DerivativeModel.find({ orgId, source })
    .sort({ usedAt: 1 })
    .limit(present - keptOfMost)
    .lean<DerivativeDocument[]>();
  for (const derivative of least) await discard(derivative);
}

/** Removes those of versions that nobody reads any more, with their files. May be repeated. */
export async function removeDerivatives(orgId: string, sources: readonly string[]): Promise<void> {
  await removeAll({ orgId, source: { $in: [...sources] } });
}

/** Removes up to 500 of an organization's, and returns whether there are none left. */
export async function removeSomeDerivatives(orgId: string): Promise<boolean> {
  return (await removeSome({ orgId })) < batch;
}

type Filter = { orgId: string; source?: { $in: string[] } };

async function removeAll(filter: Filter): Promise<void> {
  while ((await removeSome(filter)) === batch);
}

async function removeSome(filter: Filter): Promise<number> {
  const { orgId } = filter;
  const some = await DerivativeModel.find(filter).limit(batch).lean<DerivativeDocument[]>();
  if (some.length === 0) return 0;
  await objectStore().remove(some.map(({ file }) => file));
  const { deletedCount } = await DerivativeModel.deleteMany({ orgId, _id: { $in: some.map(({ _id }) => _id) } });
  if (deletedCount === some.length) await releaseRoom(orgId, totalSizeOf(some));
  return some.length;
}

export const totalSizeOf = (some: readonly { size: number }[]): number => some.reduce((sum, { size }) => sum + size, 0);
