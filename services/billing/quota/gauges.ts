import { apiError } from '../../../lib/errors.ts';
import type { KeyedMutex } from '../../../lib/one-at-a-time.ts';
import type { CounterName } from './meters.ts';
import type { Records } from './records.ts';
import type { Settlement } from './settling.ts';
import {
  insertCounter,
  later,
  newNonce,
  openedBy,
  type Receipt,
  readCounter,
  reservationLease,
  type Store,
  totalOf,
} from './store.ts';

const maxAttempts = 100;

/** `drift`: by how much the gauge differed from the count; `changed`: the gauge has changed since that revision. */
export type GaugeSet = { outcome: 'set'; drift: number } | { outcome: 'changed' };

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
