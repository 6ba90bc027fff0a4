import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { type BrokerContext, type CallContext, call } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { pageOf, pageQuery, toPage } from '../../lib/contract/input.ts';
import { fromNow, minute, now } from '../../lib/data/clock.ts';
import { pagesById, type Sweep, sweepInTurns, tenantsOf } from '../../lib/data/sweep.ts';
import { gigabyte } from '../../lib/format/bytes.ts';
import { type BucketDocument, BucketModel } from '../../models/storage/bucket.ts';
import { type ObjectDocument, ObjectModel } from '../../models/storage/object.ts';
import { RecountModel } from '../../models/storage/recount.ts';
import { exampleBucket, findBucketsPage } from './buckets.ts';
import { release } from './objects/replaced-versions.ts';
import { countObjectsOf } from './quota/object-limit.ts';
import {
  addObject,
  type Counted,
  driftOf,
  exactly,
  type Instant,
  isUncertain,
  newBucketTally,
  newTally,
  type Tally,
} from './quota/tally.ts';
import { storageMeter } from './quota.ts';

type CountedObject = Counted & { _id: string; orgId: string };

const pageSize = 500;
/** The page size for objects that are read with all fields. */
const releasePageSize = 100;
const leaseTime = 5 * minute;
/** Counting this many objects takes seconds. */
const maxObjectsFirst = 100_000;
const read: Record<keyof CountedObject, 1> = {
  _id: 1,
  orgId: 1,
  version: 1,
  size: 1,
  charges: 1,
  uploadedAt: 1,
  bucketId: 1,
  moved: 1,
  former: 1,
};

/** The turn of an organization. `isLast`: its count is slow, so it runs after the others. */
type Turn = { _id: string; orgId: string; isLast: boolean };

/**
 * Recounts the storage of organizations with changes since the last recount, and corrects their quota gauges and bucket
 * counts. A daily consistency check; nothing depends on it.
 *
 * @param maxObjects organizations with more objects are counted last.
 */
export async function recountChanged(ctx: BrokerContext, sweep: Sweep, maxObjects = maxObjectsFirst): Promise<void> {
  await resumeAbandoned();
  await sweepInTurns(sweep, firstTurns(), 1, async (turn, again) => {
    const { orgId, isLast } = turn;
    if (!isLast && (await countObjectsOf(orgId)) > maxObjects) return again({ ...turn, isLast: true });
    try {
      await recount(ctx, orgId, sweep.signal);
    } catch (error) {
      await markChanged(orgId);
      throw error;
    }
  });
}

async function* firstTurns(): AsyncGenerator<Turn[]> {
  for await (const page of tenantsOf([BucketModel], { isChanged: true })) {
    yield page.map((tenant) => ({ ...tenant, isLast: false }));
  }
}

/** The organizations with a running recount. Their replaced versions must not be deleted. */
export async function findRecounting(): Promise<Set<string>> {
  const running = await RecountModel.find({ leaseUntil: { $gt: now() } }, { _id: 1 }, { acrossTenants: true }).lean();
  return new Set(running.map(({ _id }) => _id));
}

/** Repeats recounts whose process crashed. */
async function resumeAbandoned(): Promise<void> {
  const abandoned = { leaseUntil: { $lte: now() } };
  for (const { _id: orgId } of await RecountModel.find(abandoned, { _id: 1 }, { acrossTenants: true }).lean()) {
    await markChanged(orgId);
    await RecountModel.deleteOne({ _id: orgId, orgId });
  }
}

const markChanged = (orgId: string) =>
  BucketModel.updateMany({ orgId, deletedAt: null }, { $set: { isChanged: true } });

/**
 * Recounts an organization's storage in pages, concurrently with writes, and corrects its gauge and bucket counts.
 * Stops when the signal aborts; the next run repeats it.
 */
async function recount(ctx: BrokerContext, orgId: string, signal: AbortSignal): Promise<void> {
  const lease = await takeLease(orgId);
  try {
    // Cleared first, so that changes since then are counted by the next recount.
    await BucketModel.updateMany({ orgId, isChanged: true }, { $set: { isChanged: false } });
    await releaseReplaced(ctx, orgId, lease.renew, signal);
    const buckets = await BucketModel.find({ orgId, deletedAt: null }).lean<BucketDocument[]>();
    const from = now().getTime();
    const { used, revision, open } = await readGauge(ctx, orgId);
    const at: Instant = { from, to: now().getTime(), openKeys: new Set(open.map(({ key }) => key)) };
    const tally = await countObjects(orgId, at, lease.renew, signal);
    if (!tally) {
      await markChanged(orgId);
      return;
    }
    const isQuiet = (await readGauge(ctx, orgId)).revision === revision;
    const bytes = isQuiet ? tally.quietBytes : tally.bytes;
    const reserved = open.reduce((sum, { amount }) => sum + amount, 0);
    const drift = driftOf(used - reserved, bytes);
    if (drift !== 0) await correctGauge(ctx, orgId, drift);
    await correctBuckets(orgId, buckets, tally);
    if (isUncertain(bytes)) await markChanged(orgId);
  } finally {
    await lease.end();
  }
}

const readGauge = ({ broker }: BrokerContext, orgId: string) =>
  call(broker, 'billing.quota.read-gauge', { body: { orgId, meter: storageMeter } });

const correctGauge = ({ broker }: BrokerContext, orgId: string, by: number) =>
  call(broker, 'billing.quota.correct-gauge', { body: { orgId, meter: storageMeter, by } });

type Lease = { renew: () => Promise<void>; end: () => Promise<void> };

async function takeLease(orgId: string): Promise<Lease> {
  const own = { _id: orgId, orgId };
  let renewedAt = Number.NEGATIVE_INFINITY;
  const lease: Lease = {
    async renew() {
      if (performance.now() - renewedAt < minute) return;
      renewedAt = performance.now();
      await RecountModel.updateOne(own, { $set: { leaseUntil: fromNow(leaseTime) } }, { upsert: true });
    },
    async end() {
      await RecountModel.deleteOne(own);
    },
  };
  await lease.renew();
  return lease;
}

/**
 * Releases replaced versions whose release, or its record, was lost in a crash. A count cannot distinguish the two:
 * after a correction without their bytes, a later release would lower the gauge a second time.
 */
async function releaseReplaced(
  ctx: BrokerContext,
  orgId: string,
  renew: Lease['renew'],
  signal: AbortSignal,
): Promise<void> {
  const filter = { orgId, 'former.isReleased': false };
  for await (const page of pagesById<ObjectDocument>(ObjectModel, filter, releasePageSize)) {
    if (signal.aborted) return;
    for (const object of page) await release(ctx, object);
    await renew();
  }
}

/** Null if the signal aborts. */
async function countObjects(
  orgId: string,
  at: Instant,
  renew: Lease['renew'],
  signal: AbortSignal,
): Promise<Tally | null> {
  const tally = newTally();
  let base: CountedObject | null = null;
  for await (const page of pagesById<CountedObject>(ObjectModel, { orgId }, pageSize, read)) {
    if (signal.aborted) return null;
    for (const object of page) {
      const isAside = base !== null && object._id.startsWith(`${base._id}.`);
      if (!isAside) base = object;
      addObject(tally, isAside && base ? withoutThoseOf(base, object) : object, at);
    }
    await renew();
    await nextTurn();
  }
  return tally;
}

/** Replaced versions that were moved to a separate document may have been read in their object too. */
function withoutThoseOf({ former }: Counted, aside: Counted): Counted {
  const seen = new Set(former.map(({ version }) => version));
  return { ...aside, former: aside.former.filter(({ version }) => !seen.has(version)) };
}

/** Adds the drift to the counts of buckets, so that concurrent changes are kept. */
async function correctBuckets(orgId: string, buckets: BucketDocument[], tally: Tally): Promise<void> {
  const changed = await BucketModel.find({ orgId, isChanged: true }, { _id: 1 }).lean();
  const changedIds = new Set(changed.map(({ _id }) => _id));
  for (const { _id, objectCount, usedBytes } of buckets) {
    const { present, ...sums } = tally.buckets.get(_id) ?? newBucketTally();
    const isQuiet = !changedIds.has(_id);
    const objects = isQuiet ? exactly(present.objects) : sums.objects;
    const bytes = isQuiet ? exactly(present.bytes) : sums.bytes;
    const [count, used] = [driftOf(objectCount, objects), driftOf(usedBytes, bytes)];
    if (count === 0 && used === 0) continue;
    await BucketModel.updateOne({ orgId, _id, deletedAt: null }, { $inc: { objectCount: count, usedBytes: used } });
  }
}

const meter = z
  .strictObject({
    usedGb: z.number(),
    limitGb: z
      .number()
      .nullable()
      .describe('The limit of the plan in gigabytes; null if the plan does not include storage.'),
  })
  .meta({ id: 'StorageMeter' });
const ofBucket = z
  .strictObject({ bucket: z.string(), objectCount: z.int(), usedBytes: z.int() })
  .meta({ id: 'BucketUsage' });

/**
 * GET /v1/usage: the organization's stored bytes, this month's traffic, and the usage of each bucket. `limitGb` is null
 * if the plan does not include storage.
 */
export const readUsage = defineAction({
  rest: 'GET /v1/usage',
  summary: 'Read what storage is used',
  description:
    'Returns the stored gigabytes, the traffic of this month and the usage of each bucket. A gigabyte has ' +
    '1,000,000,000 bytes. `limitGb` is null if the plan does not include storage.',
  permission: 'storage.read',
  tenant: 'required',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(ofBucket)
    .extend({ storage: meter.describe('The stored bytes.'), bandwidth: meter.describe('The traffic of this month.') })
    .meta({ id: 'StorageUsage' }),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20' },
    output: {
      storage: { usedGb: 0.0524288, limitGb: 50 },
      bandwidth: { usedGb: 1.25, limitGb: 250 },
      data: [{ bucket: exampleBucket.name, objectCount: 128, usedBytes: 52_428_800 }],
      nextCursor: null,
    },
  },
  async handler({ query, caller: { orgId }, ctx }) {
    const buckets = await findBucketsPage(orgId, query);
    const [storage, bandwidth] = await readMeters(ctx, orgId);
    const none = { usedGb: 0, limitGb: null };
    const page = toPage(buckets, query.limit, ({ _id }) => [_id], toUseResponse);
    return { ...page, storage: storage ?? none, bandwidth: bandwidth ?? none };
  },
});

/** Reads the usage of the storage meters, in gigabytes. */
async function readMeters(ctx: CallContext, orgId: string): Promise<z.output<typeof meter>[]> {
  const body = { orgId, meters: ['storage.storageGb' as const, 'storage.bandwidthGbPerMonth' as const] };
  const { meters } = await call(ctx, 'billing.quota.read', { body });
  return meters.map(({ used, limit }) => ({
    usedGb: used / gigabyte,
    limitGb: limit === null ? null : limit / gigabyte,
  }));
}

function toUseResponse({ name, objectCount, usedBytes }: BucketDocument): z.output<typeof ofBucket> {
  return { bucket: name, objectCount: Math.max(0, objectCount), usedBytes: Math.max(0, usedBytes) };
}
