import { Counter } from 'prom-client';
import { apiError } from '../../../lib/contract/errors.ts';
import type { Changing, Draft } from './changes.ts';
import type { Records } from './records.ts';
import { type CounterName, counterOf } from './shapes.ts';
import { later, newNonce, type Receipt, receiptOf, reservationLease, type Store, totalOf } from './store.ts';

/** The end of a reservation: `charged` units are charged, the rest is released. */
export type Settlement = { receipt: Receipt; charged: number };

/** Units to release that were charged. `key` is the idempotency key. */
export type Release = { amount: number; key: string };

export type Parts = { store: Store; records: Records; change: Changing };

const late = new Counter({
  name: 'billing_quota_late_total',
  help: 'Reservations whose work ended after they had expired and had been released.',
});

/** Ends a reservation with the units that its work used; the first end counts. */
export async function end({ records, change }: Parts, { receipt, charged }: Settlement): Promise<void> {
  await close(change, receipt, await chargeOf(records, receipt, charged));
}

/** The units to charge for a reservation: those in the record of its key, if there is one. */
async function chargeOf(records: Records, receipt: Receipt, charged: number): Promise<number> {
  if (!receipt.remembered) return charged;
  if (charged > 0) return await records.claim(receipt, charged);
  const record = (await records.find(receipt, [receipt.key])).get(receipt.key);
  return record?.nonce === receipt.nonce ? record.amount : 0;
}

/**
 * Closes a reservation. One that had expired and was released is charged after all, even above the limit, because its
 * work was done. Only the sweep releases a reservation that several callers share: another may still be at work.
 */
async function close(change: Changing, receipt: Receipt, charged: number): Promise<void> {
  const lateUnits = await change({
    counter: counterOf(receipt),
    apply: (draft) => closeIn(draft, receipt, charged),
    guess: { closes: receipt, charged, result: 0 },
  });
  if (lateUnits > 0) late.inc();
}

/** Returns how many units were charged that had been released before. */
function closeIn(draft: Draft, { key, nonce }: Receipt, charged: number): number {
  const reservation = draft.open.get(key);
  if (reservation?.nonce === nonce) {
    if (reservation.shared && charged < reservation.amount) return 0;
    draft.open.delete(key);
    draft.used -= reservation.amount - charged;
    return 0;
  }
  const note = draft.overdue.get(nonce);
  if (!note) return 0;
  const more = Math.max(0, charged - note.charged);
  draft.overdue.delete(nonce);
  draft.used += more;
  return more;
}

/** Renews the lease of a reservation; false when the reservation no longer exists. */
export async function renew({ store, change }: Parts, receipt: Receipt): Promise<boolean> {
  const { key, nonce } = receipt;
  return await change({
    counter: counterOf(receipt),
    apply({ open }) {
      const reservation = open.get(key);
      if (reservation?.nonce !== nonce) return false;
      open.set(key, { ...reservation, until: later(store.leaseNow(), reservationLease) });
      return true;
    },
  });
}

/**
 * Lowers a counter, which is never below zero, when charged units are gone or their work has failed. A key that was
 * released before changes nothing; an archived counter stays as it is. An empty reservation marks the key until it is
 * recorded.
 */
export async function release(
  { store, records, change }: Parts,
  counter: CounterName,
  { amount, key }: Release,
): Promise<void> {
  const until = later(store.leaseNow(), reservationLease);
  const mark = { key: `release:${key}`, nonce: newNonce(), amount: 0, until, owner: '', remembered: true };
  const isFirst = await change({
    counter,
    keys: [mark.key],
    apply(draft) {
      if (!draft.isStored || draft.open.has(mark.key) || draft.records.has(mark.key)) return false;
      draft.open.set(mark.key, mark);
      draft.used -= Math.min(amount, draft.used);
      return true;
    },
  });
  if (!isFirst) return;
  const receipt = receiptOf(counter, mark);
  await records.claim(receipt, 0);
  await close(change, receipt, 0);
}

/** `drift`: by how much the gauge differed from the count; `changed`: the gauge has changed since that revision. */
export type GaugeSet = { outcome: 'set'; drift: number } | { outcome: 'changed' };

/**
 * Sets a gauge to the count of its owner, plus the open reservations, which may or may not be in that count. With
 * `revision`, as it was read before the count, nothing is set when the gauge has changed since.
 */
export function setGauge({ change }: Parts, counter: CounterName, value: number, revision?: number): Promise<GaugeSet> {
  return change<GaugeSet>({
    counter,
    apply(draft) {
      if (revision !== undefined && revision !== draft.revision) return { outcome: 'changed' };
      const drift = value + totalOf([...draft.open.values()]) - draft.used;
      draft.used += drift;
      return { outcome: 'set', drift };
    },
  });
}

/** Adds to a gauge, which is never below zero. */
export async function correctGauge({ change }: Parts, counter: CounterName, by: number): Promise<void> {
  await change({
    counter,
    apply(draft) {
      if (draft.used + by < 0) throw apiError('CONFLICT');
      draft.used += by;
    },
  });
}
