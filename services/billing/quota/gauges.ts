import { fail } from '../../../lib/errors.ts';
import type { InTurn } from '../../../lib/one-at-a-time.ts';
import type { CounterName } from './meters.ts';
import type { Records } from './records.ts';
import type { Settlement } from './settling.ts';
import {
  heldFor,
  insertCounter,
  later,
  newNonce,
  openedBy,
  type Receipt,
  readCounter,
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
  throw fail('UNAVAILABLE');
}

/** The dependencies of a release. */
type Parts = { store: Store; records: Records; inTurn: InTurn; settle: (settlement: Settlement) => Promise<void> };
type Release = { amount: number; key: string };

/**
 * Lowers a counter when counted units are gone, or were charged for work that failed. The same key again changes
 * nothing. A counter is never below zero; one that is archived stays as it is.
 */
export async function releaseUnits(parts: Parts, counter: CounterName, { amount, key: name }: Release): Promise<void> {
  const { records, inTurn, settle } = parts;
  const receipt = await inTurn(counter._id, () => lower(parts, counter, { amount, key: `release:${name}` }));
  if (!receipt) return;
  await records.claim(receipt, 0);
  await settle({ receipt, charged: 0 });
}

/**
 * Lowers it, and holds the key as an empty reservation until it is remembered; null when it is held or remembered
 * already. The record of the key is looked for after the counter was read: a release that ends in between changes the
 * counter, so that the write fails and all is read again.
 */
async function lower(
  { store, records }: Parts,
  counter: CounterName,
  { amount, key }: Release,
): Promise<Receipt | null> {
  const { _id, orgId, meter } = counter;
  const until = later(store.leaseNow(), heldFor);
  const mark = { key, nonce: newNonce(), amount: 0, until, owner: '', remembered: true };
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const state = await readCounter(store, counter);
    if (!state || state.open.some((reservation) => reservation.key === key)) return null;
    if (await records.find(orgId, meter, key)) return null;
    const { matchedCount } = await store.counters.updateOne(
      { _id, orgId, revision: state.revision },
      {
        $inc: { used: -Math.min(amount, state.used), held: 1, revision: 1 },
        $set: openedBy([mark]),
        $min: { dueAt: until },
      },
    );
    if (matchedCount === 1) return { orgId, counter: _id, meter, key, nonce: mark.nonce, amount: 0, remembered: true };
  }
  throw fail('UNAVAILABLE');
}
