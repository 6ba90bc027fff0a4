import { z } from 'zod';
import { concurrently } from '../../lib/concurrency/concurrently.ts';
import { createTtlCache } from '../../lib/concurrency/ttl-cache.ts';
import type { BrokerContext } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { day, fromNow, minute, now } from '../../lib/data/clock.ts';
import { deleteInBatches } from '../../lib/data/collection.ts';
import { idPattern } from '../../lib/data/ids.ts';
import { pagesById, pagesByInstant, type Sweep, sweepInTurns, sweepItems } from '../../lib/data/sweep.ts';
import { type BucketDocument, BucketModel } from '../../models/storage/bucket.ts';
import { BucketNameModel, erasedOwner } from '../../models/storage/bucket-name.ts';
import { type DerivativeDocument, DerivativeModel } from '../../models/storage/derivative.ts';
import { DerivativeUsageModel } from '../../models/storage/derivative-usage.ts';
import { noBucket, type ObjectDocument, ObjectModel } from '../../models/storage/object.ts';
import { type UploadDocument, UploadModel } from '../../models/storage/upload.ts';
import { discard, removeDerivatives, removeSomeDerivatives } from './images/derive.ts';
import { remove } from './objects/change-object.ts';
import { announceBucket } from './objects/public-objects.ts';
import { objectsInTurn } from './objects/replaced-versions.ts';
import { releaseVersions } from './quota.ts';
import { findRecounting } from './recount.ts';
import { objectStore } from './store/running-store.ts';

const removalBatchSize = 8;
/**
 * An upload that began before its bucket was deleted may end afterwards. It deletes its own object; the sweep checks
 * again after this time, in case a crash prevented that.
 */
const rememberedFor = 2 * day;

type DeletedBucket = Pick<BucketDocument, '_id' | 'orgId' | 'deletedAt'>;

/**
 * Deletes up to `limit` objects of a deleted bucket; returns whether none remain. An empty bucket is not checked again
 * until late uploads have ended. Repeatable.
 */
export async function emptyBucket(ctx: BrokerContext, bucket: DeletedBucket, limit: number): Promise<boolean> {
  const { orgId, _id: bucketId, deletedAt } = bucket;
  const objects = await ObjectModel.find({ orgId, bucketId }, { key: 1 }).limit(limit).lean();
  await concurrently(objects, removalBatchSize, ({ key }) => remove(ctx, bucket, key));
  if (objects.length === limit) return false;
  const sweepAt = new Date((deletedAt?.getTime() ?? 0) + rememberedFor);
  await BucketModel.updateOne({ orgId, _id: bucketId, deletedAt, sweepAt: null }, { $set: { sweepAt } });
  return true;
}

const batch = 200;
const bucketConcurrency = 4;
/** The maximum of objects deleted per turn of a bucket, so that a large one does not delay the others. */
const maxOfTurn = 200;

/** Deletes the objects of deleted buckets, in turns, and then the buckets. */
export async function sweepDeletedBuckets(ctx: BrokerContext, sweep: Sweep): Promise<void> {
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
  const postponed = { field: 'sweepAt' as const, until: now() };
  await sweepItems(
    sweep,
    pagesByInstant<BucketDocument>(BucketModel, postponed, batch),
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
export async function sweepExpired(ctx: BrokerContext, sweep: Sweep): Promise<void> {
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
async function expireSome(ctx: BrokerContext, turn: Turn, signal: AbortSignal): Promise<Turn | null> {
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

/** Derivatives that were not read for this time are deleted; they are recreated on demand. */
const unusedFor = 30 * day;
const discardConcurrency = 8;

/** Deletes derivatives that are no longer read. */
export async function sweepDerivatives(sweep: Sweep): Promise<void> {
  const unused = { field: 'usedAt' as const, until: fromNow(-unusedFor) };
  await sweepItems(
    sweep,
    pagesByInstant<DerivativeDocument>(DerivativeModel, unused, batch),
    discardConcurrency,
    discard,
  );
}

/** A grace period for readers that looked up a version before it was replaced and have not opened its file yet. */
const readersTime = minute;
/** Caches the organizations being recounted; their versions stay until the next run. */
const recounting = createTtlCache<Set<string>>();
const cleanupBatchSize = 16;
/** The maximum of versions deleted per object and run, so that none delays the others. */
const maxRemoved = 200;

/** Deletes the files of replaced and deleted versions, and the documents of deleted objects. */
export async function sweepReplacedVersions(ctx: BrokerContext, sweep: Sweep): Promise<void> {
  const until = fromNow(-readersTime);
  const pages = pagesByInstant<ObjectDocument>(ObjectModel, { field: 'formerSince', until }, batch);
  await sweepItems(sweep, pages, cleanupBatchSize, async (object) => {
    const isRecounted = (await recounting.find('', findRecounting)).has(object.orgId);
    if (!isRecounted) await cleanUp(ctx, object, until);
  });
}

/** Deletes an object's versions that ended before an instant. Repeatable. */
async function cleanUp(ctx: BrokerContext, object: ObjectDocument, before: Date): Promise<void> {
  const { orgId, _id, revision } = object;
  const ended = object.former.filter(({ endedAt }) => endedAt <= before).slice(0, maxRemoved);
  const gone = new Set(ended.map(({ version }) => version));
  const remaining = object.former.filter(({ version }) => !gone.has(version));
  await releaseVersions(
    ctx,
    orgId,
    ended.filter(({ isReleased }) => !isReleased),
  );
  await removeDerivatives(orgId, [...gone]);
  await objectStore().remove(ended.flatMap(({ file }) => file ?? []));
  if (object.bucketId === noBucket && remaining.length === 0) {
    await ObjectModel.deleteOne({ orgId, _id, revision });
    return;
  }
  const versions = object.versions.filter((version) => !gone.has(version));
  // The revision is unchanged, so that concurrent changes based on it do not fail. If such a change wins, the versions
  // stay until the next run.
  const fields = { former: remaining, formerSince: remaining[0]?.endedAt ?? null, versions };
  await objectsInTurn(_id, () => ObjectModel.updateOne({ orgId, _id, revision }, { $set: fields }));
}

const endConcurrency = 8;

/** Ends the uploads of crashed processes, and deletes their files unless an object or a derivative references them. */
export async function sweepUploads(sweep: Sweep): Promise<void> {
  const pages = pagesByInstant<UploadDocument>(UploadModel, { field: 'dueAt', until: now() }, batch);
  await sweepItems(sweep, pages, endConcurrency, end);
}

/** Deletes files that the store did not finish. */
export async function sweepUnfinishedFiles(): Promise<void> {
  await objectStore().removeUnfinished(now());
}

async function end({ _id, orgId, version, file, state, signedUntil, dueAt }: UploadDocument): Promise<void> {
  const own = { orgId, _id, version };
  if (state === 'open') {
    // Fences the upload: it must claim an open record before an object can get the version.
    const { matchedCount } = await UploadModel.updateOne({ ...own, state, dueAt }, { $set: { state: 'givenUp' } });
    if (matchedCount === 0) return;
  }
  if (state === 'done' || !(await isKept(orgId, version))) {
    if (state !== 'done') await objectStore().remove([file]);
    await UploadModel.deleteOne(own);
    return;
  }
  // The process crashed after the object got the version. A signed URL stays used.
  if (signedUntil && signedUntil > now()) {
    await UploadModel.updateOne(own, { $set: { state: 'done', dueAt: signedUntil } });
  } else await UploadModel.deleteOne(own);
}

async function isKept(orgId: string, version: string): Promise<boolean> {
  const object = await ObjectModel.findOne({ orgId, versions: version }, { _id: 1 }).lean();
  return (object ?? (await DerivativeModel.findOne({ orgId, version }, { _id: 1 }).lean())) !== null;
}

const maxPerCall = 500;
const erasureConcurrency = 8;

/**
 * `storage.organizations.erase`, for the deletion of an organization: deletes its objects with their files and
 * derivatives, its uploads and its buckets. Billing erases its quota. Repeatable; called until it is complete.
 */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's buckets and objects",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  limits: { milliseconds: 60_000 },
  async handler({ body: { orgId }, ctx }) {
    const at = now();
    // The buckets come first, so that uploads in flight find no bucket.
    const buckets = await BucketModel.find({ orgId, deletedAt: null }, { _id: 1, name: 1 }).lean();
    await concurrently(buckets, erasureConcurrency, async ({ _id, name }) => {
      const ended = { deletedAt: at, name: _id, place: _id, hasExpiry: false };
      await BucketModel.updateOne({ orgId, _id }, { $set: ended });
      await announceBucket(ctx, { orgId, name });
    });
    const objects = await ObjectModel.find({ orgId }).limit(maxPerCall).lean<ObjectDocument[]>();
    await concurrently(objects, erasureConcurrency, erase);
    if (objects.length === maxPerCall || !(await removeSomeDerivatives(orgId))) return { isComplete: false };
    const uploads = await UploadModel.find({ orgId }).limit(maxPerCall).lean();
    await objectStore().remove(uploads.map(({ file }) => file));
    await UploadModel.deleteMany({ orgId, _id: { $in: uploads.map(({ _id }) => _id) } });
    if (uploads.length === maxPerCall) return { isComplete: false };
    await DerivativeUsageModel.deleteOne({ orgId, _id: orgId });
    if ((await deleteInBatches(BucketModel, { orgId }, maxPerCall)) >= maxPerCall) return { isComplete: false };
    return { isComplete: await keepNames(orgId) };
  },
});

/** Keeps the bucket names of an erased organization reserved; returns whether all of them are. */
async function keepNames(orgId: string): Promise<boolean> {
  const names = await BucketNameModel.find({ orgId }, { _id: 1 }).limit(maxPerCall).lean();
  const batch = { orgId, _id: { $in: names.map(({ _id }) => _id) } };
  await BucketNameModel.updateMany(batch, { $set: { orgId: erasedOwner } });
  return names.length < maxPerCall;
}

async function erase({ orgId, _id, file, former }: ObjectDocument): Promise<void> {
  await objectStore().remove([file, ...former.map((version) => version.file)].flatMap((name) => name ?? []));
  await ObjectModel.deleteOne({ orgId, _id });
}
