import { chunk } from '../../../lib/concurrency/for-each-concurrently.ts';
import { day, hour, second } from '../../../lib/data/clock.ts';
import { removeAcrossTenants } from '../../../lib/data/collection.ts';
import type { CounterDocument, Overdue, Reservation } from '../../../models/billing/counter.ts';
import type { Records } from './settle.ts';
import type { Meter } from './shapes.ts';
import {
  type CounterState,
  later,
  overduePath,
  type Receipt,
  readCounter,
  reservationPath,
  type Store,
  unsetting,
} from './store.ts';

/** The time after its expiry within which a reservation is still charged when its work ends. */
const overdueFor = hour;
/** After this time without an answer of their owner, reservations are charged in full. */
const maxWait = day;
/** A larger request might time out, and would be retried for a day. */
const settlementBatchSize = 50;
/** Below the period of the sweep, so that none is missed by some milliseconds. */
const minPause = 30 * second;
/** The maximum of notes of a counter. The rest could only be charged if their work had hung and then continued. */
const maxNotes = 500;
/** The maximum of attempts; each retry follows a concurrent settlement of some reservations. */
const maxAttempts = 100;

type Due = Pick<CounterDocument, '_id' | 'orgId' | 'meter'>;
type Log = (message: string, error: unknown) => void;

/**
 * Settles the expired reservations of every organization: their owners report how much of the work was done, which is
 * charged in the period of the take; the rest is released. Safe to repeat, to interrupt, and to run on several nodes.
 */
export async function sweepReservations(store: Store, records: Records, log: Log, signal?: AbortSignal): Promise<void> {
  const due = store.counters.find({ dueAt: { $lte: store.leaseNow() } }, { projection: { orgId: 1, meter: 1 } });
  for await (const counter of due) {
    if (signal?.aborted) return;
    await sweepCounter(store, records, counter, log).catch((error) =>
      log(`Sweep of counter ${counter._id} failed`, error),
    );
  }
  await removeAcrossTenants({ collection: store.takes }, { expiresAt: { $lte: store.now() } }, signal);
}

async function sweepCounter(store: Store, records: Records, counter: Due, log: Log): Promise<void> {
  const state = await readCounter(store, counter);
  if (!state) return;
  const at = store.leaseNow();
  const expired = state.open.filter(({ until }) => until <= at);
  for (const [owner, reservations] of groupByOwner(expired)) {
    for (const batch of chunk(reservations, settlementBatchSize)) {
      await endOf(store, records, counter, owner, batch).catch((error) =>
        log(`${owner} did not report the settlement of its reservations`, error),
      );
    }
  }
  const old = state.overdue.filter(({ until }) => until <= at);
  if (old.length > 0) {
    const forgotten = { $unset: unsetting(old.map(({ nonce }) => overduePath(nonce))), $inc: { revision: 1 } };
    await store.counters.updateOne({ _id: counter._id, orgId: counter.orgId }, forgotten);
  }
  await setNextLook(store, counter);
}

function groupByOwner(reservations: Reservation[]): Map<string, Reservation[]> {
  const groups = new Map<string, Reservation[]>();
  for (const one of reservations) groups.set(one.owner, [...(groups.get(one.owner) ?? []), one]);
  return groups;
}

async function endOf(
  store: Store,
  records: Records,
  counter: Due,
  owner: string,
  reservations: Reservation[],
): Promise<void> {
  const done = await amountsDone(store, counter, owner, reservations);
  const ends = reservations.map(async (reservation) => {
    const said = Math.min(reservation.amount, done.get(reservation.key) ?? 0);
    return { reservation, charged: await chargeOnce(records, counter, reservation, said) };
  });
  await endBatched(store, counter, await Promise.all(ends));
}

async function amountsDone(
  store: Store,
  { orgId }: Due,
  owner: string,
  reservations: Reservation[],
): Promise<Map<string, number>> {
  const keys = reservations.filter(({ amount }) => amount > 0).map(({ key }) => key);
  if (keys.length === 0) return new Map();
  try {
    return new Map((await store.askOwner(owner, orgId, keys)).map(({ key, amount }) => [key, amount]));
  } catch (error) {
    const longAgo = later(store.leaseNow(), -maxWait);
    if (reservations.some(({ until }) => until > longAgo)) throw error;
    return new Map(reservations.map(({ key, amount }) => [key, amount]));
  }
}

/**
 * The charge of a remembered key: nothing when another of its reservations was charged, otherwise all that was done.
 */
async function chargeOnce(records: Records, counter: Due, reservation: Reservation, done: number): Promise<number> {
  if (!reservation.remembered) return done;
  const meter = counter.meter as Meter;
  const charge = await records.find(counter.orgId, meter, reservation.key);
  if (charge) return charge.nonce === reservation.nonce ? charge.amount : 0;
  // The reservation of a gauge's release is empty; its key is remembered all the same.
  if (done === 0 && reservation.amount > 0) return 0;
  const receipt: Receipt = { ...reservation, orgId: counter.orgId, counter: counter._id, meter };
  return await records.claim(receipt, done);
}

type End = { reservation: Reservation; charged: number };

/**
 * Ends the reservations that have not been settled or renewed since they were read. The released units are recorded in
 * the same update.
 */
async function endBatched(store: Store, { _id, orgId }: Due, ends: End[]): Promise<void> {
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const state = await readCounter(store, { _id, orgId });
    const at = store.leaseNow();
    const open = new Set(state?.open.filter(({ until }) => until <= at).map(({ nonce }) => nonce));
    const remaining = ends.filter(({ reservation }) => open.has(reservation.nonce));
    if (!state || remaining.length === 0) return;
    const back = remaining.reduce((sum, { reservation, charged }) => sum + reservation.amount - charged, 0);
    const notes = overdueMarkersOf(remaining, later(at, overdueFor)).slice(
      0,
      Math.max(0, maxNotes - state.overdue.length),
    );
    const areExpired = remaining.flatMap(({ reservation: { key, nonce } }) => [
      [`${reservationPath(key)}.nonce`, nonce],
      [`${reservationPath(key)}.until`, { $lte: at }],
    ]);
    const { matchedCount } = await store.counters.updateOne(
      { _id, orgId, ...Object.fromEntries(areExpired) },
      {
        $unset: unsetting(remaining.map(({ reservation }) => reservationPath(reservation.key))),
        $inc: { used: -back, held: -remaining.length, revision: 1 },
        ...(notes.length > 0 && { $set: Object.fromEntries(notes.map((note) => [overduePath(note.nonce), note])) }),
      },
    );
    if (matchedCount === 1) return;
  }
}

function overdueMarkersOf(ends: End[], until: Date): Overdue[] {
  const givenBack = ends.filter(({ reservation, charged }) => charged < reservation.amount);
  return givenBack.map(({ reservation: { nonce }, charged }) => ({ nonce, charged, until }));
}

/** Sets when the counter is due again, unless it has changed concurrently: then the next sweep sets it. */
async function setNextLook(store: Store, counter: Due): Promise<void> {
  const state = await readCounter(store, counter);
  if (!state) return;
  const { _id, orgId } = counter;
  const next = nextLook(state, store.leaseNow());
  await store.counters.updateOne(
    { _id, orgId, revision: state.revision },
    next ? { $set: { dueAt: next } } : { $unset: { dueAt: '' } },
  );
}

function nextLook({ open, overdue }: CounterState, at: Date): Date | null {
  const untils = [...open, ...overdue].map(({ until }) => until.getTime());
  if (untils.length === 0) return null;
  return new Date(Math.max(Math.min(...untils), at.getTime() + minPause));
}
