import { Counter } from 'prom-client';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import type { KeyedMutex } from '../../../lib/concurrency/keyed-mutex.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { day } from '../../../lib/data/clock.ts';
import { insertManyUnordered } from '../../../lib/data/collection.ts';
import type { TakeDocument } from '../../../models/billing/take.ts';
import type { CounterName, Meter } from './shapes.ts';
import {
  counterOf,
  insertCounter,
  later,
  newNonce,
  openedBy,
  overduePath,
  type Receipt,
  readCounter,
  reservationLease,
  reservationPath,
  type Store,
  totalOf,
  unsetting,
} from './store.ts';

const maxAttempts = 100;

/** `drift`: by how much the gauge differed from the count; `changed`: the gauge has changed since that revision. */
type GaugeSet = { outcome: 'set'; drift: number } | { outcome: 'changed' };

/**
 * Sets a gauge to what its owner has counted, plus the open reservations, which may or may not be in that count. With
 * `revision`, as it was read before the count, nothing is set when the gauge has changed since.
 */
export async function setGauge(
  store: Store,
  counter: CounterName,
  { value, revision }: { value: number; revision?: number | undefined },
): Promise<GaugeSet> {
  const { _id, orgId } = counter;
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const state = await readCounter(store, counter);
    if (!state) {
      await insertCounter(store, counter, { reservations: [], limit: null });
      continue;
    }
    if (revision !== undefined && revision !== state.revision) return { outcome: 'changed' };
    const used = value + totalOf(state.open);
    const { matchedCount } = await store.counters.updateOne(
      { _id, orgId, revision: state.revision },
      { $set: { used }, $inc: { revision: 1 } },
    );
    if (matchedCount === 1) return { outcome: 'set', drift: used - state.used };
  }
  throw apiError('UNAVAILABLE');
}

/** Adds to a gauge, which is never below zero. */
export async function correctGauge(store: Store, counter: CounterName, by: number): Promise<void> {
  const { _id, orgId } = counter;
  await insertCounter(store, counter, { reservations: [], limit: null });
  const { matchedCount } = await store.counters.updateOne(
    { _id, orgId, used: { $gte: -by } },
    { $inc: { used: by, revision: 1 } },
  );
  if (matchedCount === 0) throw apiError('CONFLICT');
}

/** The dependencies of a release. */
type Parts = {
  store: Store;
  records: Records;
  runExclusive: KeyedMutex;
  settle: (settlement: Settlement) => Promise<void>;
};

/** Counted units to release. `key` is the idempotency key. */
export type Release = { amount: number; key: string };

/**
 * Lowers a counter when counted units are gone, or were charged for work that failed, by one update for all of them. A
 * key that was released before changes nothing. A counter is never below zero; one that is archived stays as it is.
 */
export async function releaseUnits(parts: Parts, counter: CounterName, releases: Release[]): Promise<void> {
  const { records, runExclusive: inTurn, settle } = parts;
  const byKey = new Map(releases.map(({ amount, key }) => [`release:${key}`, amount]));
  const receipts = await inTurn(counter._id, () => lower(parts, counter, byKey));
  await Promise.all(
    receipts.map(async (receipt) => {
      await records.claim(receipt, 0);
      await settle({ receipt, charged: 0 });
    }),
  );
}

/**
 * Lowers the gauge, and reserves each key as an empty reservation until the key is recorded; returns the reservations.
 * Skips keys that are already reserved or recorded. The records are read after the counter: a release that ends in
 * between changes the counter, so that the write fails and everything is read again.
 */
async function lower(
  { store, records }: Parts,
  counter: CounterName,
  byKey: ReadonlyMap<string, number>,
): Promise<Receipt[]> {
  const { _id, orgId, meter } = counter;
  const until = later(store.leaseNow(), reservationLease);
  const named = { orgId, counter: _id, meter, amount: 0, remembered: true };
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const state = await readCounter(store, counter);
    if (!state) return [];
    const openKeys = new Set(state.open.map(({ key }) => key));
    const recorded = await Promise.all(
      [...byKey.keys()].map((key) => openKeys.has(key) || records.find(orgId, meter, key)),
    );
    const keys = [...byKey.keys()].filter((_key, index) => !recorded[index]);
    if (keys.length === 0) return [];
    const amount = keys.reduce((sum, key) => sum + (byKey.get(key) ?? 0), 0);
    const receipts = keys.map((key): Receipt => ({ ...named, key, nonce: newNonce() }));
    const marks = receipts.map(({ key, nonce }) => ({ key, nonce, amount: 0, until, owner: '', remembered: true }));
    const { matchedCount } = await store.counters.updateOne(
      { _id, orgId, revision: state.revision },
      {
        $inc: { used: -Math.min(amount, state.used), held: keys.length, revision: 1 },
        $set: openedBy(marks),
        $min: { dueAt: until },
      },
    );
    if (matchedCount === 1) return receipts;
  }
  throw apiError('UNAVAILABLE');
}

const rememberedFor = 2 * day;
const maxBatchSize = 200;

/** The charged units by key. */
export type Records = {
  /** The charge of a key; null when there is none. */
  find: (orgId: string, meter: Meter, key: string) => Promise<TakeDocument | null>;
  /**
   * Records this reservation as the charged one of its key, and returns its charge: the first recorded one; zero when
   * another reservation was recorded.
   */
  claim: (receipt: Receipt, charged: number) => Promise<number>;
};

type Name = Pick<TakeDocument, '_id' | 'orgId'>;

/** Keys of several organizations go in one query. */
const filterOf = (names: Name[]) => ({
  orgId: { $in: [...new Set(names.map(({ orgId }) => orgId))] },
  _id: { $in: names.map(({ _id }) => _id) },
});

const recordId = (orgId: string, meter: Meter, key: string): string => `${orgId}:${meter}:${key}`;

export function createRecords({ takes, now }: Store): Records {
  const findBatched = createBatcher(maxBatchSize, async (names: Name[]) => {
    const found = await takes.find({ ...filterOf(names), expiresAt: { $gt: now() } }).toArray();
    const byId = new Map(found.map((record) => [record._id, record]));
    return names.map(({ _id }) => byId.get(_id) ?? null);
  });

  const claimTogether = createBatcher(maxBatchSize, async (records: TakeDocument[]) => {
    // An expired record counts as removed, even before the sweep deletes it.
    const refused = await insertManyUnordered(takes, records);
    if (refused.size === 0) return records.map(({ amount }) => amount);
    const { deletedCount } = await takes.deleteMany({ ...filterOf(records), expiresAt: { $lte: now() } });
    if (deletedCount > 0) await insertManyUnordered(takes, records);
    const claimed = await takes.find(filterOf(records)).toArray();
    const amounts = new Map(claimed.map(({ nonce, amount }) => [nonce, amount]));
    return records.map(({ nonce }) => amounts.get(nonce) ?? 0);
  });

  return {
    find: (orgId, meter, key) => findBatched('', { _id: recordId(orgId, meter, key), orgId }),
    claim({ orgId, meter, key, counter, nonce }, charged) {
      const expiresAt = later(now(), rememberedFor);
      return claimTogether('', {
        _id: recordId(orgId, meter, key),
        orgId,
        counter,
        nonce,
        amount: charged,
        expiresAt,
      });
    },
  };
}

const late = new Counter({
  name: 'billing_quota_late_total',
  help: 'Reservations whose work ended after they had expired and had been released.',
});

/** The end of a reservation: `charged` units are charged, the rest is released. */
export type Settlement = { receipt: Receipt; charged: number };

const maxSettleBatch = 500;
const maxCounters = 100;

/**
 * Ends reservations, batched by counter. Idempotent: the first call decides the charge. A reservation that had expired
 * and was released is charged after all, even above the limit, because its work was done. Only the sweep releases a
 * reservation that several callers share: another caller may still be at work.
 */
export function createSettling(store: Store, inTurn: KeyedMutex): (settlement: Settlement) => Promise<void> {
  const closeAll = createBatcher(maxCounters, (groups: Settlement[][]) => closeGroups(store, groups));
  const closeInTurn = (group: Settlement[]) => inTurn(group[0]?.receipt.counter ?? '', () => closeAll('', group));
  const settle = createBatcher(maxSettleBatch, async (settlements: Settlement[]) => {
    const byNonce = new Map<string, Settlement>();
    for (const one of settlements) if (!byNonce.has(one.receipt.nonce)) byNonce.set(one.receipt.nonce, one);
    const group = [...byNonce.values()];
    const isEnded = areOfDifferentKeys(group) && (await closeInTurn(group));
    if (!isEnded) await settleBatched(store, closeInTurn, group);
    return settlements.map(() => undefined);
  });
  return (settlement) => settle(settlement.receipt.counter, settlement);
}

type Close = (settlements: Settlement[]) => Promise<boolean>;

async function settleBatched(store: Store, close: Close, settlements: Settlement[]): Promise<void> {
  let remaining = settlements;
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const [first] = remaining;
    if (!first || (areOfDifferentKeys(remaining) && (await close(remaining)))) return;
    const state = await readCounter(store, counterOf(first.receipt));
    // Erased, or archived long after the end of its period.
    if (!state) return;
    const open = new Map(state.open.map((reservation) => [reservation.nonce, reservation]));
    const overdue = new Set(state.overdue.map(({ nonce }) => nonce));
    for (const one of remaining) if (overdue.has(one.receipt.nonce)) await chargeLate(store, one);
    remaining = remaining.filter((one) => {
      const reservation = open.get(one.receipt.nonce);
      return reservation && !(reservation.shared && givesBack(one));
    });
  }
  throw new Error('The reservations of a counter could not be settled: the counter changed during each attempt.');
}

const givesBack = ({ receipt, charged }: Settlement): boolean => charged < receipt.amount;

/**
 * Ends the reservations of several counters in one command; returns whether all of a counter's ended, where that is
 * known.
 */
async function closeGroups(store: Store, groups: Settlement[][]): Promise<boolean[]> {
  const updates = groups.flatMap((group) => closingOf(group) ?? []);
  const [first] = updates;
  if (!first) return groups.map(() => true);
  if (updates.length === 1) {
    const { matchedCount } = await store.counters.updateOne(first.filter, first.update);
    return groups.map(() => matchedCount === 1);
  }
  const { matchedCount } = await store.counters.bulkWrite(
    updates.map((update) => ({ updateOne: update })),
    { ordered: false },
  );
  return groups.map(() => matchedCount === updates.length);
}

/** The update that ends reservations of one counter with different keys; null for none. */
function closingOf(settlements: Settlement[]) {
  const [first] = settlements;
  if (!first) return null;
  const back = settlements.reduce((sum, { receipt, charged }) => sum + receipt.amount - charged, 0);
  const areOpen = settlements.map(({ receipt }) => [`${reservationPath(receipt.key)}.nonce`, receipt.nonce]);
  const areNotOthers = settlements
    .filter(givesBack)
    .map(({ receipt }) => [`${reservationPath(receipt.key)}.shared`, { $ne: true }]);
  return {
    filter: { ...counterOf(first.receipt), ...Object.fromEntries([...areOpen, ...areNotOthers]) },
    update: {
      $unset: unsetting(settlements.map(({ receipt }) => reservationPath(receipt.key))),
      $inc: { used: -back, held: -settlements.length, revision: 1 },
    },
  };
}

/** At most one reservation of a key is open. */
const areOfDifferentKeys = (settlements: Settlement[]): boolean =>
  new Set(settlements.map(({ receipt }) => receipt.key)).size === settlements.length;

/** Charges the units of an expired reservation's work beyond those that were charged at its expiry. */
async function chargeLate(store: Store, { receipt, charged }: Settlement): Promise<void> {
  const { nonce } = receipt;
  const marker = (await readCounter(store, counterOf(receipt)))?.overdue.find((one) => one.nonce === nonce);
  if (!marker) return;
  const more = Math.max(0, charged - marker.charged);
  const { matchedCount } = await store.counters.updateOne(
    { ...counterOf(receipt), [overduePath(nonce)]: { $exists: true } },
    { $unset: unsetting([overduePath(nonce)]), $inc: { used: more, revision: 1 } },
  );
  if (matchedCount === 1 && more > 0) late.inc();
}
