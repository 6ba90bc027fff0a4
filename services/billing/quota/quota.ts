import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { apiError } from '../../../lib/contract/errors.ts';
import { minute, now as realNow } from '../../../lib/data/clock.ts';
import { deleteInBatches, nativeCollection } from '../../../lib/data/collection.ts';
import { type CounterDocument, CounterModel } from '../../../models/billing/counter.ts';
import { type TakeDocument, TakeModel } from '../../../models/billing/take.ts';
import { now } from '../clock.ts';
import { entitlementsNow } from '../subscriptions/entitlements.ts';
import { createChanging } from './changes.ts';
import { loadDeclaredLimits } from './declared-limits.ts';
import type { Meter } from './meters.ts';
import { createRecords } from './records.ts';
import { correctGauge, end, type Release, release, renew, type Settlement, setGauge } from './settle.ts';
import { allowanceIn, type CounterName, counterAt } from './shapes.ts';
import {
  blockReleaseTimeout,
  type CounterReader,
  createReader,
  later,
  nothingUsed,
  type Receipt,
  reservationPath,
  type SettlementReport,
  type Store,
  totalOf,
} from './store.ts';
import { sweepReservations } from './sweep.ts';
import { blocksOf, createBlockWait, createTaking, type Grant, type QuotaRequest, waitForBlocks } from './take.ts';

/** Deletes up to `limit` of an organization's counters and key records; returns the count. Idempotent. */
export async function eraseQuotas(orgId: string, limit: number): Promise<number> {
  const removed = (await CounterModel.deleteMany({ orgId })).deletedCount;
  const own = { orgId, _id: { $gte: `${orgId}:`, $lt: `${orgId};` } };
  return removed + (await deleteInBatches(TakeModel, own, limit - removed));
}

export type TakeInput = { orgId: string; meter: Meter; ahead?: number; wantsUsed?: boolean } & Omit<
  QuotaRequest,
  'ahead' | 'wantsUsed'
>;

/** The usage of a meter. `reserved` is the part in open reservations. */
export type UsageSnapshot = { counter: CounterName; used: number; reserved: number; revision: number };

export type Quota = ReturnType<typeof createQuota>;

/**
 * Quotas over a database, exact on any number of nodes. A take reserves units, which are committed or released when its
 * work ends. Create one for each process: it batches the concurrent changes of one counter.
 */
export function createQuota(store: Store) {
  const records = createRecords(store);
  const read = createReader(store);
  const change = createChanging(store, read, records);
  const isAwaited = createBlockWait(store.maxWait);
  const reserve = createTaking({ store, read, change, isAwaited });
  const parts = { store, records, change };
  const present = (orgId: string, meter: Meter) => counterAt(orgId, meter, store.now());

  return {
    async take({ ahead = 0, wantsUsed = true, ...input }: TakeInput): Promise<Grant & { counter: CounterName }> {
      const counter = await counterFor(store, input);
      return { ...(await reserve({ ...input, counter, ahead, wantsUsed })), counter };
    },
    /** Ends a reservation with the units that the work used. Only the first end counts. */
    commit: (settlement: Settlement) => end(parts, settlement),
    /** Releases a reservation whose work was not done. */
    refund: (receipt: Receipt) => end(parts, { receipt, charged: 0 }),
    /** Renews the lease of a reservation; false when the reservation no longer exists. */
    renew: (receipt: Receipt) => renew(parts, receipt),
    read: (orgId: string, meter: Meter) => readUsage(read, isAwaited, present(orgId, meter)),
    /** A gauge with its open reservations, read in one piece. */
    readGauge: async (orgId: string, meter: Meter) => (await read(present(orgId, meter))) ?? nothingUsed,
    correctGauge: (orgId: string, meter: Meter, by: number) => correctGauge(parts, present(orgId, meter), by),
    setGauge: (orgId: string, meter: Meter, value: number, revision?: number) =>
      setGauge(parts, present(orgId, meter), value, revision),
    /** Releases counted units of a gauge. Idempotent by key. */
    async releaseGauge(orgId: string, meter: Meter, releases: Release[]): Promise<void> {
      const counter = present(orgId, meter);
      await Promise.all(releases.map((one) => release(parts, counter, one)));
    },
    /** Refunds charged units in the period that contains `at`. Idempotent by key. */
    refundUnits: (orgId: string, meter: Meter, at: Date, refund: Release) =>
      release(parts, counterAt(orgId, meter, at), refund),
    sweep: (log: (message: string, error: unknown) => void, signal?: AbortSignal) =>
      sweepReservations({ ...parts, read, log }, signal),
  };
}

/**
 * Reads the usage of a counter. The units of a block may never be used: the reading waits for the blocks that are open
 * when it begins, and leaves out those that were reserved since.
 */
async function readUsage(
  read: CounterReader,
  isAwaited: ReturnType<typeof createBlockWait>,
  counter: CounterName,
): Promise<UsageSnapshot> {
  let state = (await read(counter)) ?? nothingUsed;
  const nonces = new Set(blocksOf(state.open).map(({ nonce }) => nonce));
  while (
    await waitForBlocks(
      blocksOf(state.open).filter(({ nonce }) => nonces.has(nonce)),
      isAwaited,
    )
  )
    state = (await read(counter)) ?? nothingUsed;
  const { used, open, revision } = state;
  const ahead = blocksOf(open).reduce((sum, block) => sum + (nonces.has(block.nonce) ? 0 : (block.ahead ?? 0)), 0);
  return { counter, used: used - ahead, reserved: totalOf([...open.values()]) - ahead, revision };
}

/** How long after the start of a period a key is also looked for in the previous one: a lease plus clock skew. */
const overlap = 10 * minute;

/** The present counter; the previous one if it holds the same key. */
async function counterFor(
  { counters, now }: Store,
  { orgId, meter, key, remembered }: TakeInput,
): Promise<CounterName> {
  const at = now();
  const counter = counterAt(orgId, meter, at);
  if (!remembered || !counter.period || at.getTime() - counter.period.start.getTime() > overlap) return counter;
  const previous = counterAt(orgId, meter, later(counter.period.start, -1));
  const isHeld = await counters.countDocuments(
    { _id: previous._id, orgId, [reservationPath(key)]: { $exists: true } },
    { limit: 1 },
  );
  return isHeld > 0 ? previous : counter;
}

type Running = { quota: Quota; broker: ServiceBroker };

let running: Running | undefined;

/** Starts quotas in this process; tests pass `changes`. */
export function startQuota(broker: ServiceBroker, changes: Partial<Store> = {}): void {
  const store: Store = {
    counters: nativeCollection<CounterDocument>(CounterModel),
    takes: nativeCollection<TakeDocument>(TakeModel),
    allowanceOf: async (orgId, meter) => allowanceIn(await entitlementsNow(broker, orgId), meter),
    askOwner: (owner, orgId, keys) => queryOwner(broker, owner, orgId, keys),
    now,
    // Each node's own: leases that are renewed each minute need no common clock (decision 0027).
    leaseNow: realNow,
    maxWait: blockReleaseTimeout,
    ...changes,
  };
  running = { quota: createQuota(store), broker };
}

export function runningQuota(): Quota {
  if (!running) throw apiError('UNAVAILABLE');
  return running.quota;
}

/** Settles expired reservations of every organization; run it every minute, on one node or on several. */
export async function sweepQuotas(_period: Date, signal: AbortSignal): Promise<void> {
  if (!running) return;
  const { quota, broker } = running;
  await loadDeclaredLimits();
  await quota.sweep((message, error) => broker.logger.warn(message, { error }), signal);
}

const settlementReport = z.object({ done: z.array(z.object({ key: z.string(), amount: z.number().int().min(0) })) });

/** Asks the owning service: `<owner>.quota.settle { orgId, keys }` → `{ done: [{ key, amount }] }`. */
async function queryOwner(
  broker: ServiceBroker,
  owner: string,
  orgId: string,
  keys: string[],
): Promise<SettlementReport[]> {
  const report = await broker.call<unknown, object>(`${owner}.quota.settle`, { body: { orgId, keys } });
  return settlementReport.parse(report).done;
}
