import type { Context } from 'moleculer';
import { day, fromNow, now } from '../../../lib/clock.ts';
import { pagesById, pagesByInstant, type Sweep, sweepInTurns, sweepItems } from '../../../lib/sweep.ts';
import { type BucketDocument, BucketModel } from '../../../models/storage/bucket.ts';
import { ObjectModel } from '../../../models/storage/object.ts';
import { remove } from '../objects/change-object.ts';
import { emptyBucket } from './empty-bucket.ts';

type Caller = Pick<Context, 'broker'>;

const batch = 200;
const bucketConcurrency = 4;
/** The maximum of objects deleted per turn of a bucket, so that a large one does not delay the others. */
const maxOfTurn = 200;

/** Deletes the objects of deleted buckets, in turns, and then the buckets. */
export async function sweepDeletedBuckets(ctx: Caller, sweep: Sweep): Promise<void> {
  for (let hasObjects = true; hasObjects && !sweep.signal.aborted; ) {
    hasObjects = false;
    const undone = { field: 'deletedAt' as const, until: now(), filter: { sweepAt: null } };
    await sweepItems(
      sweep,
      pagesByInstant<BucketDocument>(BucketModel, undone, batch),
      bucketConcurrency,
      async (bucket) => {
        if (!(await emptyBucket(ctx, bucket, maxOfTurn))) hasObjects = true;
      },
    );
  }
  const remembered = { field: 'sweepAt' as const, until: now() };
  await sweepItems(
    sweep,
    pagesByInstant<BucketDocument>(BucketModel, remembered, batch),
    bucketConcurrency,
    async (bucket) => {
      const { orgId, _id } = bucket;
      if (await emptyBucket(ctx, bucket, maxOfTurn)) await BucketModel.deleteOne({ orgId, _id });
    },
  );
}

/** The turn of a bucket: the expiry rule, and the upload time from which it continues. */
type Turn = { _id: string; orgId: string; bucket: BucketDocument; rule: number; from: Date };

/** Deletes objects that expired by their buckets' rules, in turns. Reads already ignore them. */
export async function sweepExpired(ctx: Caller, sweep: Sweep): Promise<void> {
  await sweepInTurns(sweep, firstTurns(), bucketConcurrency, async (turn, again) => {
    const following = await expireSome(ctx, turn, sweep.signal);
    if (following) again(following);
  });
}

async function* firstTurns(): AsyncGenerator<Turn[]> {
  for await (const page of pagesById<BucketDocument>(BucketModel, { hasExpiry: true }, batch)) {
    yield page.map((bucket) => ({ _id: bucket._id, orgId: bucket.orgId, bucket, rule: 0, from: new Date(0) }));
  }
}

/** Deletes some expired objects of a bucket; returns its next turn, or null when done. */
async function expireSome(ctx: Caller, turn: Turn, signal: AbortSignal): Promise<Turn | null> {
  const { bucket, rule, from } = turn;
  const { orgId, _id: bucketId } = bucket;
  const { prefix, days } = bucket.expiry[rule] ?? {};
  if (prefix === undefined || days === undefined) return null;
  const old = await ObjectModel.find(
    { orgId, bucketId, uploadedAt: { $gt: from, $lte: fromNow(-days * day) } },
    { key: 1, uploadedAt: 1, revision: 1 },
  )
    .sort({ uploadedAt: 1 })
    .limit(maxOfTurn)
    .lean();
  for (const { key, revision } of old) {
    if (signal.aborted) return null;
    if (key.startsWith(prefix)) await remove(ctx, bucket, key, { revision });
  }
  const last = old.at(-1)?.uploadedAt;
  // Further objects of the same millisecond are found by the next run.
  if (last && old.length === maxOfTurn) return { ...turn, from: last };
  return { ...turn, rule: rule + 1, from: new Date(0) };
}
