import { setTimeout as wait } from 'node:timers/promises';
import { createKeyedMutex } from '../../lib/concurrency/keyed-mutex.ts';
import { apiError, errorCatalogue, errorCode } from '../../lib/contract/errors.ts';
import { fromNow, hour, minute, now, second } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { type ReservationDocument, ReservationModel } from '../../models/identity/reservation.ts';

/** One of a limited number of resources, to be inserted. */
type Limited<T> = {
  holderId: string;
  kind: ReservationDocument['kind'];
  resourceId: string;
  /** The number of the holder's resources, without the resources of these ids. */
  count: (except: string[]) => Promise<number>;
  /** Throws a refusal that takes precedence over the limit. */
  refuse?: () => Promise<void>;
  /** Throws the refusal of the limit unless one more fits in addition to `present` resources. */
  requireRoom: (present: number) => void;
  insert: () => Promise<T>;
  /** Removes what was inserted. */
  remove: () => Promise<unknown>;
};

const maxAttempts = 60;
const maxPauseMilliseconds = 50;
/** How long a request without room waits for reservations that may be released, in milliseconds. */
const waitsFor = 5 * second;
/** A count that is older is repeated, in milliseconds. */
const countedFor = 5 * second;
/** A resource that is inserted later than this after its reservation is removed again. */
const insertWithin = 30 * second;
/** An older open reservation belongs to a dead process. Longer than an insert plus clock skew. */
const openFor = 2 * minute;
/** Closed reservations stay longer than any request that counted before them may be delayed. */
const kept = hour;

const runExclusive = createKeyedMutex();

/**
 * Inserts a resource unless its holder has as many as the limit says. The count is exact on any number of nodes,
 * because every caller reserves before it inserts, and it needs only unique keys of the database. The caller that
 * reserves number n + 1 has read the reservations up to n, then which of them are open, and then the resources, in this
 * order. So it sees each of these resources as one or the other; a caller that has not seen number n + 1 finds it
 * taken.
 *
 * The reservation of a dead process holds its place for two minutes, unless the resource exists: then the resource
 * counts.
 */
export async function insertWithinLimit<T>(limited: Limited<T>): Promise<T> {
  const waitsUntil = performance.now() + waitsFor;
  const turn = `${limited.holderId}:${limited.kind}`;
  const { reservation, since } = await runExclusive(turn, () => reserve(limited, waitsUntil));
  const isLate = (): boolean => performance.now() - since > insertWithin;
  if (isLate()) throw apiError('UNAVAILABLE');
  try {
    const inserted = await limited.insert();
    if (!isLate()) {
      // A reservation that could not be closed counts like the resource, and expires in two minutes.
      await close(reservation).catch(() => undefined);
      return inserted;
    }
    await limited.remove();
    throw apiError('UNAVAILABLE');
  } catch (error) {
    // After any other failure it is unknown whether the resource was inserted.
    if (isRefusal(error)) await close(reservation);
    throw error;
  }
}

type Reserved = { reservation: ReservationDocument; since: number };

/** `since`: a moment before the reservation was made, by the monotonic clock. */
async function reserve<T>(limited: Limited<T>, waitsUntil: number): Promise<Reserved> {
  const { holderId, kind, resourceId } = limited;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    await limited.refuse?.();
    const { since, last } = await findRoom(limited, waitsUntil);
    const number = last + 1;
    const _id = `${holderId}:${kind}:${number}`;
    const reservation = { _id, holderId, kind, number, resourceId, isOpen: true, createdAt: now() };
    const isCurrent = performance.now() - since < countedFor;
    const isReserved = isCurrent && (await insertIfAbsent<ReservationDocument>(ReservationModel, reservation));
    if (isReserved) return { reservation, since };
    await wait(Math.random() * Math.min(2 ** attempt, maxPauseMilliseconds));
  }
  throw apiError('CONFLICT');
}

/** The number of the last reservation after which there is room, and when that count began. */
async function findRoom<T>(limited: Limited<T>, waitsUntil: number): Promise<{ since: number; last: number }> {
  const { holderId, kind } = limited;
  for (;;) {
    const since = performance.now();
    const last = await ReservationModel.findOne({ holderId, kind }, { number: 1 }).sort({ number: -1 }).lean();
    const open = await findOpen(limited);
    const present = open.length + (await limited.count(open));
    try {
      limited.requireRoom(present);
      return { since, last: last?.number ?? 0 };
    } catch (error) {
      if (open.length === 0 || since > waitsUntil) throw error;
    }
    await wait(Math.random() * maxPauseMilliseconds);
    await limited.refuse?.();
  }
}

/** Excludes an earlier run of the same operation, which reserved for the same resource. */
async function findOpen({ holderId, kind, resourceId }: Limited<unknown>): Promise<string[]> {
  const open = { holderId, kind, isOpen: true, resourceId: { $ne: resourceId }, createdAt: { $gt: fromNow(-openFor) } };
  const found = await ReservationModel.find(open, { resourceId: 1 }).lean();
  return found.map(({ resourceId }) => resourceId);
}

/** The last closed reservation stays, so that numbers continue. */
async function close({ _id, holderId, kind, number }: ReservationDocument): Promise<void> {
  await ReservationModel.updateOne({ _id, holderId }, { $set: { isOpen: false } });
  const old = { holderId, kind, number: { $lt: number }, createdAt: { $lte: fromNow(-kept) } };
  await ReservationModel.deleteMany(old);
}

function isRefusal(error: unknown): boolean {
  const code = errorCode(error);
  return code !== null && errorCatalogue[code].status < 500;
}

/** Removes the reservations of a deleted organization or user. */
export async function deleteReservations(holderId: string): Promise<void> {
  await ReservationModel.deleteMany({ holderId });
}
