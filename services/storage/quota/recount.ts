import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import { call } from '../../../lib/calls.ts';
import { day, fromNow } from '../../../lib/clock.ts';
import { timeOfId } from '../../../lib/ids.ts';
import { type BucketDocument, BucketModel } from '../../../models/storage/bucket.ts';
import { noBucket, type ObjectDocument, ObjectModel, type Version } from '../../../models/storage/object.ts';
import { release } from '../objects/replaced-versions.ts';
import { storageMeter } from './reserve-bytes.ts';

type Caller = { broker: ServiceBroker };

const batch = 500;
const maxAttempts = 5;

type Counted = { objects: number; bytes: number };

/**
 * Counts anew what those organizations store whose objects changed since the last time, and corrects the gauge of their
 * quota and the counts of their buckets. It is a check that runs once a day: nothing depends on it.
 */
export async function recountChanged(ctx: Caller): Promise<void> {
  for (let orgId = ''; ; ) {
    // Each once: one that changes all the time would be counted without end.
    const next = BucketModel.findOne({ isChanged: true, orgId: { $gt: orgId } }, { orgId: 1 }, { acrossTenants: true });
    const changed = await next.sort({ orgId: 1 }).lean();
    if (!changed) return;
    ({ orgId } = changed);
    // First, so that what changes meanwhile is counted the next time.
    await BucketModel.updateMany({ orgId, isChanged: true }, { $set: { isChanged: false } });
    await recount(ctx, orgId);
  }
}

/**
 * Counts what an organization stores anew; returns by how many bytes its gauge differed. Billing adds what is reserved
 * to the count, so the versions of the last day are charged first: their charge may have been lost or be under way. A
 * former version may have been released without a note of it, so all of them are released first, and none is counted.
 */
export async function recount(ctx: Caller, orgId: string): Promise<number> {
  const charged = new Set<string>();
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { meters } = await call(ctx.broker, 'billing.quota.read', { body: { orgId, meters: [storageMeter] } });
    const revision = meters[0]?.revision;
    const { total, buckets, recent, ended } = await countObjects(orgId);
    const uncharged = recent.filter(({ version }) => !charged.has(version));
    if (uncharged.length + ended.length > 0) {
      await charge(ctx, uncharged);
      for (const { version } of uncharged) charged.add(version);
      for (const object of ended) await release(ctx, object);
      continue;
    }
    const { outcome, drift } = await call(ctx.broker, 'billing.quota.set-gauge', {
      body: { orgId, meter: storageMeter, value: total, ...(revision !== undefined && { revision }) },
    });
    if (outcome === 'changed') continue;
    await correctBuckets(orgId, buckets);
    return drift;
  }
  // It changes all the time; the next run may find it quiet.
  return 0;
}

/** Charging again changes nothing. */
async function charge({ broker }: Caller, versions: Version[]): Promise<void> {
  const takes = versions.flatMap(({ charges }) => charges);
  for (let at = 0; at < takes.length; at += batch) {
    await call(broker, 'billing.quota.commit', { body: { takes: takes.slice(at, at + batch) } });
  }
}

/** `recent` are the present versions of the last day, `ended` objects with former ones whose release is not noted. */
type Count = { total: number; buckets: Map<string, Counted>; recent: Version[]; ended: ObjectDocument[] };

async function countObjects(orgId: string): Promise<Count> {
  const counted: Count = { total: 0, buckets: new Map(), recent: [], ended: [] };
  const since = fromNow(-day).getTime();
  let after = '';
  for (;;) {
    const some = await ObjectModel.find({ orgId, _id: { $gt: after } })
      .sort({ _id: 1 })
      .limit(batch)
      .lean<ObjectDocument[]>();
    for (const object of some) add(counted, object, since);
    if (some.length < batch) return counted;
    after = some.at(-1)?._id ?? '';
    await nextTurn();
  }
}

function add(counted: Count, object: ObjectDocument, since: number): void {
  const { bucketId, size, version, former } = object;
  if (former.some(({ isReleased }) => !isReleased)) counted.ended.push(object);
  if (bucketId === noBucket) return;
  counted.total += size;
  if (timeOfId(version) >= since) counted.recent.push(object);
  const { objects, bytes } = counted.buckets.get(bucketId) ?? { objects: 0, bytes: 0 };
  counted.buckets.set(bucketId, { objects: objects + 1, bytes: bytes + size });
}

async function correctBuckets(orgId: string, counted: Map<string, Counted>): Promise<void> {
  const buckets = await BucketModel.find({ orgId, deletedAt: null }).lean<BucketDocument[]>();
  for (const { _id, objectCount, usedBytes } of buckets) {
    const { objects, bytes } = counted.get(_id) ?? { objects: 0, bytes: 0 };
    if (objectCount === objects && usedBytes === bytes) continue;
    // What was counted since is in the new counts already, so only the ones that were read are replaced.
    await BucketModel.updateOne(
      { orgId, _id, objectCount, usedBytes },
      { $set: { objectCount: objects, usedBytes: bytes } },
    );
  }
}
