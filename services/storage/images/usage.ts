import { limitsOf } from '../../../lib/clients/plan-limits.ts';
import type { BrokerContext } from '../../../lib/contract/context.ts';
import { day, fromNow, minute, now } from '../../../lib/data/clock.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { pagesById, pagesByInstant, type Sweep, sweepItems } from '../../../lib/data/sweep.ts';
import { type DerivativeDocument, DerivativeModel } from '../../../models/storage/derivative.ts';
import { type DerivativeUsageDocument, DerivativeUsageModel } from '../../../models/storage/derivative-usage.ts';

const megabyte = 1_000_000;
const pageSize = 500;
/**
 * The minimum interval between evictions of an organization. A deleted file stays on disk for up to two minutes, so an
 * organization never has many more files than its limit, however fast its images are created.
 */
const evictionPause = 2 * minute;

/** The bytes of derivatives that the plan allows; 0 if unknown, because storing them is optional. */
export async function maxBytesOf(ctx: BrokerContext, orgId: string): Promise<number> {
  const limits = await limitsOf(ctx.broker, orgId);
  return limits === 'unknown' ? 0 : limits.imageVariantMegabytes * megabyte;
}

/** Reserves bytes for derivatives before they are stored; false if they would exceed `max`. */
export async function reserveRoom(orgId: string, bytes: number, max: number): Promise<boolean> {
  await makeUsage(orgId);
  const { matchedCount } = await DerivativeUsageModel.updateOne(
    { _id: orgId, orgId, bytes: { $lte: max - bytes } },
    { $inc: { bytes } },
  );
  return matchedCount === 1;
}

/** Releases the bytes of derivatives that are deleted or were not stored. The recount corrects losses after a crash. */
export async function releaseRoom(orgId: string, bytes: number): Promise<void> {
  if (bytes > 0) await DerivativeUsageModel.updateOne({ _id: orgId, orgId }, { $inc: { bytes: -bytes } });
}

/** Begins an eviction; returns the stored bytes, or null if the previous eviction is too recent. */
export async function beginEviction(orgId: string): Promise<number | null> {
  const begun = await DerivativeUsageModel.findOneAndUpdate(
    { _id: orgId, orgId, evictedAt: { $lte: fromNow(-evictionPause) } },
    { $set: { evictedAt: now() } },
  ).lean<DerivativeUsageDocument>();
  return begun ? begun.bytes : null;
}

async function makeUsage(orgId: string): Promise<void> {
  if (await DerivativeUsageModel.exists({ _id: orgId, orgId })) return;
  const counted = { bytes: await countBytes(orgId), countedAt: now(), evictedAt: new Date(0) };
  await insertIfAbsent<DerivativeUsageDocument>(DerivativeUsageModel, { _id: orgId, orgId, ...counted });
}

/**
 * Recounts the derivatives of each organization once a day, in pages. Images stored during the count are in both
 * numbers.
 */
export async function recountDerivatives(sweep: Sweep): Promise<void> {
  const due = { field: 'countedAt' as const, until: fromNow(-day) };
  // One at a time, so that `bytes` is read right before the count that it is compared with.
  await sweepItems(sweep, pagesByInstant<DerivativeUsageDocument>(DerivativeUsageModel, due, 1), 1, recountOne);
}

async function recountOne({ _id, orgId, bytes }: DerivativeUsageDocument): Promise<void> {
  const counted = await countBytes(orgId);
  await DerivativeUsageModel.updateOne(
    { _id, orgId },
    { $inc: { bytes: counted - bytes }, $set: { countedAt: now() } },
  );
}

type Sized = Pick<DerivativeDocument, '_id' | 'orgId' | 'size'>;

async function countBytes(orgId: string): Promise<number> {
  let bytes = 0;
  const pages = pagesById<Sized>(DerivativeModel, { orgId }, pageSize, { orgId: 1, size: 1 });
  for await (const page of pages) for (const { size } of page) bytes += size;
  return bytes;
}
