import { setTimeout as wait } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import type { CallContext } from '../../../lib/contract/context.ts';
import { addMonths, day } from '../../../lib/data/clock.ts';
import {
  deleteInBatches,
  insertManyUnordered,
  nativeCollection,
  removeAcrossTenants,
} from '../../../lib/data/collection.ts';
import { type CounterDocument, CounterModel } from '../../../models/billing/counter.ts';
import { type UsagePeriodDocument, UsagePeriodModel } from '../../../models/billing/usage-period.ts';
import { now } from '../clock.ts';
import { findMeter, limitIn, type Meter, type MeterKind, meterNames } from '../quota/meters.ts';
import { cachedEntitlements, type EntitlementsCache } from '../subscriptions/entitlements.ts';

const archiveConcurrency = 200;
/** How long to wait for open reservations, in milliseconds. */
const reservedWait = 1500;
/** The retention of a counter after its period, so that a repeated take finds its charge. */
const keptFor = 2 * day;

type Closed = Pick<CounterDocument, '_id' | 'orgId' | 'used' | 'limit' | 'revision'> & {
  meter: Meter;
  periodStart: Date;
  periodEnd: Date;
};

/**
 * Archives the counters of periods that were over by then, and removes archived counters that are unchanged and no
 * longer needed for repeated takes. A counter with open reservations waits; one that changed since is archived again.
 * Safe to repeat, to interrupt, and to run on several nodes. An organization that fails does not delay the others, and
 * makes the run fail in the end.
 */
export async function archivePeriods(ctx: CallContext, over: Over, signal: AbortSignal): Promise<void> {
  await archiveFree(ctx, over, signal);
  const reservedCount = await counters().countDocuments({ ...counted(over), held: { $gt: 0 } }, { limit: 1 });
  if (reservedCount === 0 || signal.aborted) return;
  // Most reservations end in a moment, and blocks are released.
  await wait(reservedWait, undefined, { signal }).catch(() => undefined);
  await archiveFree(ctx, over, signal);
}

type Over = { meters: Meter[]; until: Date };

const counted = ({ meters, until }: Over) => ({ periodEnd: { $lte: until }, meter: { $in: meters } });

async function archiveFree(ctx: CallContext, over: Over, signal: AbortSignal): Promise<void> {
  const closed = counters().find(
    { ...counted(over), held: 0 },
    {
      projection: { orgId: 1, meter: 1, periodStart: 1, periodEnd: 1, used: 1, limit: 1, revision: 1 },
      batchSize: archiveConcurrency,
    },
  ) as unknown as AsyncIterable<Closed>;
  let failure: { reason: unknown } | undefined;
  for await (const batch of inBatches(closed)) {
    if (signal.aborted) return;
    const failed = await archiveBatch(ctx, batch, over.until);
    failure ??= failed;
  }
  if (failure) throw failure.reason;
}

async function* inBatches(all: AsyncIterable<Closed>): AsyncIterable<Closed[]> {
  let batch: Closed[] = [];
  for await (const one of all) {
    batch.push(one);
    if (batch.length < archiveConcurrency) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

type Failure = { reason: unknown } | undefined;

async function archiveBatch(ctx: CallContext, batch: Closed[], until: Date): Promise<Failure> {
  const archived = await findArchived(batch);
  const unarchived = batch.filter(({ _id }) => !archived.has(_id));
  const { plans, gone, failure } = await plansOf(ctx, unarchived);
  await insertManyUnordered(
    archive(),
    unarchived.flatMap((counter) => {
      const plan = plans.get(counter.orgId);
      return plan ? [toArchive(counter, plan)] : [];
    }),
  );
  await archiveAgain(batch.filter(({ _id, revision }) => (archived.get(_id) ?? revision) < revision));
  const isOver = ({ periodEnd }: Closed) => periodEnd.getTime() <= until.getTime() - keptFor;
  await remove([
    ...batch.filter((counter) => isOver(counter) && archived.get(counter._id) === counter.revision),
    ...unarchived.filter(({ orgId }) => gone.has(orgId)),
  ]);
  return failure;
}

/** The archived counters of a batch, with their revisions. */
async function findArchived(batch: Closed[]): Promise<Map<string, number>> {
  const ids = batch.map(({ _id }) => _id);
  const orgIds = [...new Set(batch.map(({ orgId }) => orgId))];
  const found = await archive()
    .find({ orgId: { $in: orgIds }, _id: { $in: ids } }, { projection: { revision: 1 } })
    .toArray();
  return new Map(found.map(({ _id, revision }) => [_id, revision]));
}

type Plans = { plans: Map<string, EntitlementsCache>; gone: Set<string>; failure: Failure };

/** The plan of each organization; deleted organizations keep no history. */
async function plansOf(ctx: CallContext, unarchived: Closed[]): Promise<Plans> {
  const found: Plans = { plans: new Map(), gone: new Set(), failure: undefined };
  for (const orgId of new Set(unarchived.map((counter) => counter.orgId))) {
    try {
      const plan = await cachedEntitlements(ctx, orgId);
      if (plan) found.plans.set(orgId, plan);
      else found.gone.add(orgId);
    } catch (reason) {
      found.failure ??= { reason };
    }
  }
  return found;
}

/** Builds the archived period with the limit in force at its last reservation; without one, with the present limit. */
function toArchive(counter: Closed, granted: EntitlementsCache): UsagePeriodDocument {
  const { _id, orgId, meter, periodStart, periodEnd, used, revision } = counter;
  const limit = limitOf(counter) ?? limitIn(granted, meter) ?? 0;
  return { _id, orgId, meter, periodStart, periodEnd, used, limit, revision, archivedAt: now() };
}

/** In the limit's own unit; a counter stores units. */
function limitOf({ meter, limit }: Closed): number | null {
  return typeof limit === 'number' ? limit / (findMeter(meter)?.unit ?? 1) : null;
}

/** Archives periods again that had settlements after they were archived. */
async function archiveAgain(changed: Closed[]): Promise<void> {
  for (const counter of changed) {
    const { _id, orgId, used, revision } = counter;
    const limit = limitOf(counter);
    await archive().updateOne(
      { _id, orgId, revision: { $lt: revision } },
      { $set: { used, ...(limit !== null && { limit }), revision, archivedAt: now() } },
    );
  }
}

/** Removes only unchanged counters; the others are archived again by the next run. */
async function remove(batch: Closed[]): Promise<void> {
  if (batch.length === 0) return;
  const removals = batch.map(({ _id, orgId, revision }) => ({ deleteOne: { filter: { _id, orgId, revision } } }));
  await counters().bulkWrite(removals, { ordered: false });
}

function counters(): Collection<CounterDocument> {
  return nativeCollection<CounterDocument>(CounterModel);
}

function archive(): Collection<UsagePeriodDocument> {
  return nativeCollection<UsagePeriodDocument>(UsagePeriodModel);
}

/** The known meters that are reset each day, or each month, in UTC. */
export function metersOfKind(kind: Exclude<MeterKind, 'gauge'>): Meter[] {
  return meterNames().filter((meter) => findMeter(meter)?.kind === kind);
}

/** The known meters with periods. */
export function closingMeters(): Meter[] {
  return [...metersOfKind('day'), ...metersOfKind('month')];
}

/** The retention of the usage history: a year, and the month to compare with. */
const keptMonths = 13;

/** Deletes archived periods that ended more than 13 months ago, of every organization. */
export async function sweepUsageHistory(signal?: AbortSignal): Promise<void> {
  await removeAcrossTenants(UsagePeriodModel, { periodEnd: { $lte: addMonths(now(), -keptMonths) } }, signal);
}

/** Deletes up to `limit` archived periods of an organization; returns the count. Idempotent. */
export function eraseUsageHistory(orgId: string, limit: number): Promise<number> {
  return deleteInBatches(UsagePeriodModel, { orgId }, limit);
}
