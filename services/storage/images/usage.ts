import type { Context } from 'moleculer';
import { day, fromNow, minute, now } from '../../../lib/clock.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { limitsOf } from '../../../lib/plan-limits.ts';
import { pagesById, pagesByInstant, type Sweep, sweepItems } from '../../../lib/sweep.ts';
import { type DerivativeDocument, DerivativeModel } from '../../../models/storage/derivative.ts';
import { type DerivativeUsageDocument, DerivativeUsageModel } from '../../../models/storage/derivative-usage.ts';

const megabyte = 1_000_000;
const pageSize = 500;
/**
 * A discarded file stays on the disk for up to two minutes. An organization evicts once in that time, so that it never
 * has many more files than its limit, however fast its images are made.
 */
const evictionPause = 2 * minute;

/** How many bytes of derivatives the plan allows; 0 while it is not known, for none has to be stored. */
export async function maxBytesOf(ctx: Pick<Context, 'broker'>, orgId: string): Promise<number> {
  const limits = await limitsOf(ctx.broker, orgId);
  return limits === 'unknown' ? 0 : limits.imageVariantMegabytes * megabyte;
}

/** Reserves bytes for derivatives that are about to be stored; false where they would exceed `max`. */
export async function reserveRoom(orgId: string, bytes: number, max: number): Promise<boolean> {
  await makeUsage(orgId);
  const { matchedCount } = await DerivativeUsageModel.updateOne(
    { _id: orgId, orgId, bytes: { $lte: max - bytes } },
    { $inc: { bytes } },
  );
  return matchedCount === 1;
}

/** Releases the bytes of derivatives that are discarded, or were not stored. The recount corrects what a crash leaves out. */
export async function releaseRoom(orgId: string, bytes: number): Promise<void> {
  if (bytes > 0) await DerivativeUsageModel.updateOne({ _id: orgId, orgId }, { $inc: { bytes: -bytes } });
}

/** Begins an eviction; returns how many bytes are stored, or null where the previous eviction is too recent. */
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

/** Counts the derivatives of each organization once a day, in pages. Images that are stored meanwhile are in both counts. */
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
