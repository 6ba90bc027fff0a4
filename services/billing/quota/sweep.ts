import { chunk } from '../../../lib/concurrency/concurrently.ts';
import { day, hour } from '../../../lib/data/clock.ts';
import { removeAcrossTenants } from '../../../lib/data/collection.ts';
import type { Reservation } from '../../../models/billing/counter.ts';
import type { Draft } from './changes.ts';
import type { Meter } from './meters.ts';
import type { Parts } from './settle.ts';
import { type CounterName, counterOf } from './shapes.ts';
import { type CounterReader, later, receiptOf } from './store.ts';

/** The time after its expiry within which a reservation is still charged when its work ends. */
const overdueFor = hour;
/** After this time without an answer of their owner, reservations are charged in full. */
const maxWait = day;
/** A larger request might time out, and would be retried for a day. */
const settlementBatchSize = 50;
/** The maximum of notes of a counter. The rest could only be charged if their work had hung and then continued. */
const maxNotes = 500;

type Sweeping = Parts & { read: CounterReader; log: (message: string, error: unknown) => void };

/**
 * Settles the expired reservations of every organization: their owners report how much of the work was done, which is
 * charged in the period of the take; the rest is released. Safe to repeat, to interrupt, and to run on several nodes.
 */
export async function sweepReservations(parts: Sweeping, signal?: AbortSignal): Promise<void> {
  const { store, log } = parts;
  const due = store.counters.find({ dueAt: { $lte: store.leaseNow() } }, { projection: { orgId: 1, meter: 1 } });
  for await (const { _id, orgId, meter } of due) {
    if (signal?.aborted) return;
    await sweepCounter(parts, { counter: _id, orgId, meter: meter as Meter }).catch((error) =>
      log(`Sweep of counter ${_id} failed`, error),
    );
  }
  await removeAcrossTenants({ collection: store.takes }, { expiresAt: { $lte: store.now() } }, signal);
}

async function sweepCounter(parts: Sweeping, due: Parameters<typeof counterOf>[0]): Promise<void> {
  const { store, read, change, log } = parts;
  const counter = counterOf(due);
  const at = store.leaseNow();
  const open = [...((await read(counter))?.open.values() ?? [])];
  const byOwner = Map.groupBy(
    open.filter(({ until }) => until <= at),
    ({ owner }) => owner,
  );
  for (const [owner, reservations] of byOwner) {
    for (const batch of chunk(reservations, settlementBatchSize)) {
      await settleBatch(parts, counter, owner, batch).catch((error) =>
        log(`${owner} did not report the settlement of its reservations`, error),
      );
    }
  }
  await change({
    counter,
    apply(draft) {
      for (const [nonce, { until }] of draft.overdue) if (until <= at) draft.overdue.delete(nonce);
      if (draft.isStored) draft.sweptAt = at;
    },
  });
}

async function settleBatch(parts: Sweeping, counter: CounterName, owner: string, batch: Reservation[]): Promise<void> {
  const done = await amountsDone(parts, counter, owner, batch);
  await Promise.all(
    batch.map(async (reservation) => {
      const reported = Math.min(reservation.amount, done.get(reservation.key) ?? 0);
      const charged = await chargeOnce(parts, counter, reservation, reported);
      await parts.change({ counter, apply: (draft) => expire(draft, reservation, charged, parts.store.leaseNow()) });
    }),
  );
}

async function amountsDone(
  { store }: Sweeping,
  { orgId }: CounterName,
  owner: string,
  batch: Reservation[],
): Promise<Map<string, number>> {
  const keys = batch.filter(({ amount }) => amount > 0).map(({ key }) => key);
  if (keys.length === 0) return new Map();
  try {
    return new Map((await store.askOwner(owner, orgId, keys)).map(({ key, amount }) => [key, amount]));
  } catch (error) {
    const longAgo = later(store.leaseNow(), -maxWait);
    if (batch.some(({ until }) => until > longAgo)) throw error;
    return new Map(batch.map(({ key, amount }) => [key, amount]));
  }
}

/** The charge of a key: nothing when another reservation of a remembered key was charged, otherwise all that was done. */
async function chargeOnce(
  { records }: Sweeping,
  counter: CounterName,
  reservation: Reservation,
  done: number,
): Promise<number> {
  const { key, nonce, amount, remembered } = reservation;
  if (!remembered) return done;
  const record = (await records.find(counter, [key])).get(key);
  if (record) return record.nonce === nonce ? record.amount : 0;
  // The mark of a release has no units; its key is remembered all the same.
  if (done === 0 && amount > 0) return 0;
  return await records.claim(receiptOf(counter, reservation), done);
}

/** Closes an expired reservation unless it was ended or renewed since it was read, and notes what was charged. */
function expire(draft: Draft, { key, nonce }: Reservation, charged: number, at: Date): void {
  const reservation = draft.open.get(key);
  if (reservation?.nonce !== nonce || reservation.until > at) return;
  draft.open.delete(key);
  draft.used -= reservation.amount - charged;
  if (charged < reservation.amount && draft.overdue.size < maxNotes)
    draft.overdue.set(nonce, { nonce, charged, until: later(at, overdueFor) });
}
