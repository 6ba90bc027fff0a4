import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { createKeyedMutex } from '../../../lib/concurrency/keyed-mutex.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { minute, now as realNow } from '../../../lib/data/clock.ts';
import { deleteInBatches, nativeCollection } from '../../../lib/data/collection.ts';
import { type CounterDocument, CounterModel, type Reservation } from '../../../models/billing/counter.ts';
import { type TakeDocument, TakeModel } from '../../../models/billing/take.ts';
import { now } from '../clock.ts';
import { entitlementsNow } from '../subscriptions/entitlements.ts';
import { createDeferredRemoval, prefetched, waitForPrefetchRelease } from './reserve.ts';
import {
  correctGauge,
  createRecords,
  createSettling,
  type Records,
  type Release,
  releaseUnits,
  type Settlement,
  setGauge,
} from './settle.ts';
import { allowanceIn, type CounterName, counterAt, type Meter, unitsOf } from './shapes.ts';
import {
  type CounterState,
  counterOf,
  later,
  nothingUsed,
  prefetchReleaseTimeout,
  type Receipt,
  readCounter,
  reservationLease,
  reservationPath,
  type SettlementReport,
  type Store,
  totalOf,
} from './store.ts';
import { sweepReservations } from './sweep.ts';
import { createTaking, type Grant, type QuotaRequest, type Taking } from './take.ts';

/** Deletes up to `limit` of an organization's counters and key records; returns the count. Idempotent. */
export async function eraseQuotas(orgId: string, limit: number): Promise<number> {
  const removed = (await CounterModel.deleteMany({ orgId })).deletedCount;
  const own = { orgId, _id: { $gte: `${orgId}:`, $lt: `${orgId};` } };
  return removed + (await deleteInBatches(TakeModel, own, limit - removed));
}

export type TakeInput = {
  orgId: string;
  meter: Meter;
  amount: number;
  ahead?: number;
  key: string;
  owner: string;
  isPartly: boolean;
  remembered: boolean;
  /** Default true. */
  wantsUsed?: boolean;
};

/**
 * The usage of a meter. `reserved` is the part in open reservations, which include those that another node has charged
 * and not yet removed (`Clearing`).
 */
export type UsageSnapshot = { counter: CounterName; used: number; reserved: number; revision: number };

export type Quota = {
  take: (input: TakeInput) => Promise<Grant & { counter: CounterName }>;
  /** Ends a reservation with the units that the work used. Only the first end counts. */
  commit: (settlement: Settlement) => Promise<void>;
  /** Releases a reservation whose work was not done. */
  refund: (receipt: Receipt) => Promise<void>;
  /** Renews the lease of a reservation; false when the reservation no longer exists. */
  renew: (receipt: Receipt) => Promise<boolean>;
  read: (orgId: string, meter: Meter) => Promise<UsageSnapshot>;
  /** A gauge with its open reservations, read in one piece. */
  readGauge: (orgId: string, meter: Meter) => Promise<CounterState>;
  correctGauge: (orgId: string, meter: Meter, by: number) => Promise<void>;
  setGauge: (orgId: string, meter: Meter, value: number, revision?: number) => ReturnType<typeof setGauge>;
  /** Releases counted units of a gauge. Idempotent by key. */
  releaseGauge: (orgId: string, meter: Meter, releases: Release[]) => Promise<void>;
  /** Refunds charged units in the period that contains `at`. Idempotent by key. */
  refundUnits: (orgId: string, meter: Meter, at: Date, amount: number, key: string) => Promise<void>;
  sweep: (log: (message: string, error: unknown) => void, signal?: AbortSignal) => Promise<void>;
  /** Removes the charged reservations immediately; call it before the process ends, so that the sweep finds none. */
  clear: () => Promise<void>;
};

/**
 * Quotas over a database, exact on any number of nodes. A take reserves units, which are committed or released when its
 * work ends. Create one for each process: it batches the concurrent takes of one counter.
 */
export function createQuota(store: Store): Quota {
  const records = createRecords(store);
  // Serializes writes within a process, for databases whose updates are not fully atomic.
  const inTurn = createKeyedMutex();
  const settle = createSettling(store, inTurn);
  const clearing = createDeferredRemoval(settle);
  const taking = createTaking({ store, runExclusive: inTurn, clearing, records, settle });
  const awaitReturns = waitForPrefetchRelease(store.maxWait);
  async function end({ receipt, charged }: Settlement): Promise<void> {
    const settlement = { receipt, charged: await chargeOf(records, receipt, charged) };
    if (clearing.mayWait(settlement)) clearing.add(receipt);
    else await settle(settlement);
  }

  return {
    take: (input) => take({ store, records, taking, settle }, input),
    commit: end,
    refund: (receipt) => end({ receipt, charged: 0 }),
    renew: (receipt) => inTurn(receipt.counter, () => renew(store, receipt)),
    async read(orgId, meter) {
      const counter = counterAt(orgId, meter, store.now());
      await clearing.flush(counter._id);
      return await read(store, awaitReturns, counter);
    },
    async readGauge(orgId, meter) {
      return (await readCounter(store, counterAt(orgId, meter, store.now()))) ?? nothingUsed;
    },
    async correctGauge(orgId, meter, by) {
      const counter = counterAt(orgId, meter, store.now());
      await inTurn(counter._id, () => correctGauge(store, counter, by));
    },
    async setGauge(orgId, meter, value, revision) {
      const counter = counterAt(orgId, meter, store.now());
      return await inTurn(counter._id, () => setGauge(store, counter, { value, revision }));
    },
    releaseGauge: (orgId, meter, releases) =>
      releaseUnits({ store, records, runExclusive: inTurn, settle }, counterAt(orgId, meter, store.now()), releases),
    async refundUnits(orgId, meter, at, amount, key) {
      const counter = counterAt(orgId, meter, at);
      await clearing.flush(counter._id);
      await releaseUnits({ store, records, runExclusive: inTurn, settle }, counter, [{ amount, key }]);
    },
    sweep: (log, signal) => sweepReservations(store, records, log, signal),
    clear: () => clearing.flush(),
  };
}

async function renew(store: Store, receipt: Receipt): Promise<boolean> {
  const slot = reservationPath(receipt.key);
  const { matchedCount } = await store.counters.updateOne(
    { ...counterOf(receipt), [`${slot}.nonce`]: receipt.nonce },
    { $set: { [`${slot}.until`]: later(store.leaseNow(), reservationLease) } },
  );
  return matchedCount === 1;
}

/** The units to charge for a reservation: those in the record of its key, if there is one. */
async function chargeOf(records: Records, receipt: Receipt, charged: number): Promise<number> {
  const { orgId, meter, key, nonce, remembered } = receipt;
  if (!remembered) return charged;
  if (charged > 0) return await records.claim(receipt, charged);
  const charge = await records.find(orgId, meter, key);
  return charge?.nonce === nonce ? charge.amount : 0;
}

/**
 * Prefetched units may never be used. The reading waits for those that are open when it begins, and leaves out those
 * that were prefetched since.
 */
async function read(
  store: Store,
  awaitReturns: (open: Reservation[]) => Promise<boolean>,
  counter: CounterName,
): Promise<UsageSnapshot> {
  let state = await readCounter(store, counter);
  const nonces = new Set(prefetched(state?.open ?? []).map(({ nonce }) => nonce));
  const heldYet = () => prefetched(state?.open ?? []).filter(({ nonce }) => nonces.has(nonce));
  while (heldYet().length > 0 && (await awaitReturns(heldYet()))) state = await readCounter(store, counter);
  const { used, open, revision } = state ?? nothingUsed;
  const aheadSince = prefetched(open)
    .filter(({ nonce }) => !nonces.has(nonce))
    .reduce((sum, { ahead = 0 }) => sum + ahead, 0);
  return { counter, used: used - aheadSince, reserved: totalOf(open) - aheadSince, revision };
}

type Parts = {
  store: Store;
  records: Records;
  taking: Taking;
  settle: (settlement: Settlement) => Promise<void>;
};

async function take(parts: Parts, input: TakeInput): Promise<Grant & { counter: CounterName }> {
  const { orgId: _orgId, meter: _meter, ahead = 0, wantsUsed = true, ...rest } = input;
  const counter = await counterFor(parts.store, input);
  const ask = { ...rest, ahead, wantsUsed, counter };
  const { take: takeExactly, reserveOptimistically: takeOfPlenty } = parts.taking;
  if (!ask.remembered) return { ...(await takeExactly(ask)), counter };
  // Far below the limit, a repeated take may reserve and release units without causing a refusal for others. It is
  // charged once whether its record is read now or at its end, so the read is skipped if the caller needs only units.
  const reserving = takeOfPlenty(ask);
  const needsRecord = wantsUsed || (await reserving) === null;
  const [before, ofPlenty] = await Promise.all([needsRecord ? recorded(parts, ask) : null, reserving]);
  if (before && ofPlenty?.receipt) await parts.settle({ receipt: ofPlenty.receipt, charged: 0 });
  const grant = before ?? ofPlenty;
  if (grant) return { ...grant, counter };
  const exact = await takeExactly(ask);
  // Its work may have been charged since the first read. If it was reserved again, the second settlement releases that.
  const meanwhile = exact.outcome === 'taken' ? null : await recorded(parts, ask);
  return { ...(meanwhile ?? exact), counter };
}

/** The grant of a take whose key was charged before. */
async function recorded({ store, records }: Parts, { counter, key, remembered }: QuotaRequest): Promise<Grant | null> {
  const { orgId, meter } = counter;
  const charge = await records.find(orgId, meter, key);
  if (!charge) return null;
  const allowance = await store.allowanceOf(orgId, meter);
  const limit = allowance.outcome === 'included' ? unitsOf(allowance.limit, meter) : null;
  const used = (await readCounter(store, counter))?.used ?? 0;
  const { counter: charged, nonce, amount } = charge;
  const receipt = { orgId, counter: charged, meter, key, nonce, amount, remembered };
  return { outcome: 'taken', used, limit, receipt, isFresh: false };
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
    maxWait: prefetchReleaseTimeout,
    ...changes,
  };
  running = { quota: createQuota(store), broker };
}

/** Removes the reservations that this process charged immediately, so that the sweep finds none after its end. */
export async function clearCharged(): Promise<void> {
  await running?.quota.clear();
}

export function runningQuota(): Quota {
  if (!running) throw apiError('UNAVAILABLE');
  return running.quota;
}

/** Settles expired reservations of every organization; run it every minute, on one node or on several. */
export async function sweepQuotas(_period: Date, signal: AbortSignal): Promise<void> {
  if (!running) return;
  const { quota, broker } = running;
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
  const said = await broker.call<unknown, object>(`${owner}.quota.settle`, { body: { orgId, keys } });
  return settlementReport.parse(said).done;
}
