import { allocate } from '../../../lib/clients/quota.ts';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { createKeyedMutex, type KeyedMutex } from '../../../lib/concurrency/keyed-mutex.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import type { Reservation } from '../../../models/billing/counter.ts';
import {
  createReserving,
  type DeferredRemoval,
  prefetched,
  type Reserved,
  type ReserveRequest,
  waitForPrefetchRelease,
} from './reserve.ts';
import type { Records, Settlement } from './settle.ts';
import { type CounterName, unitsOf } from './shapes.ts';
import {
  type Allowance,
  type CounterState,
  insertCounter,
  later,
  maxOpen,
  newNonce,
  nothingUsed,
  openedBy,
  type Receipt,
  readCounter,
  receiptOf,
  reservationLease,
  reservationPath,
  type Store,
  totalOf,
} from './store.ts';

/** A request for units; `isPartly`: fewer are granted when fewer remain. */
export type QuotaRequest = {
  counter: CounterName;
  amount: number;
  /** Prefetched units on top of the amount, or as many as may be prefetched. */
  ahead: number;
  key: string;
  owner: string;
  isPartly: boolean;
  remembered: boolean;
  /** Whether the caller needs the counter's value after the take. */
  wantsUsed: boolean;
};

type Outcome = 'taken' | 'exceeded' | 'notIncluded' | 'paymentRequired';

/**
 * `isFresh`: reserved by this very take, not by an earlier one of the same key. `used` is null unless it was requested.
 */
export type Grant = {
  outcome: Outcome;
  used: number | null;
  limit: number | null;
  receipt: Receipt | null;
  isFresh: boolean;
};

/** A request with its reservation. */
type LimitRequest = QuotaRequest & { reservation: Reservation };

/** The limit in units, and the refusal when it is exceeded. */
type LimitCheck = { limit: number; refusal: Exclude<Outcome, 'taken'> };

/** The dependencies of a take. */
type ReserveDependencies = {
  store: Store;
  runExclusive: KeyedMutex;
  reserve: (request: ReserveRequest) => Promise<Reserved | null>;
  clearing: DeferredRemoval;
  records: Records;
  settle: (settlement: Settlement) => Promise<void>;
  awaitReturns: (open: Reservation[]) => Promise<boolean>;
};

/** The maximum share of the units left that may be prefetched. */
const maxPrefetchShare = 1 / 16;

/** The grant of a take that got its reservation. */
function granted({ counter, reservation }: LimitRequest, used: number | null, limit: number): Grant {
  const receipt = receiptOf(counter, reservation);
  return { outcome: 'taken', used, limit: limit < 0 ? null : limit, receipt, isFresh: true };
}

/** The maximum of attempts; each retry follows a concurrent take or release. */
const maxAttempts = 100;

/** Decides for each take by the counter's present state, and retries after a concurrent change. */
async function decide(parts: ReserveDependencies, requests: LimitRequest[], bound: LimitCheck): Promise<Grant[]> {
  const [first] = requests;
  if (first) await parts.clearing.flush(first.counter._id);
  for (let tries = 0; first && tries < maxAttempts; tries += 1) {
    const grants = await allocateWithinLimit(parts, first.counter, requests, bound);
    if (grants) return grants;
  }
  throw apiError('UNAVAILABLE');
}

/**
 * Decides each take by the counter's present state, and writes the decision if the state is unchanged. Null when it has
 * changed, or when a take would be refused only because of units that others prefetched or reserved for a key that is
 * charged. So a take is refused only when too few units remain, and the limit is never exceeded.
 */
async function allocateWithinLimit(
  parts: ReserveDependencies,
  counter: CounterName,
  requests: LimitRequest[],
  { limit, refusal }: LimitCheck,
): Promise<Grant[] | null> {
  const { store, runExclusive: inTurn, awaitReturns } = parts;
  const found = await readCounter(store, counter);
  const state = found ?? nothingUsed;
  const openByKey = new Map(state.open.map((reservation) => [reservation.key, reservation]));
  const newRequests = requests.filter(({ key }) => !openByKey.has(key));
  const remaining = limit - state.used;
  if (isShort(newRequests, remaining, state.open) && (await awaitReturns(prefetched(state.open)))) return null;
  if (!allFit(newRequests, remaining) && (await releaseRepeated(parts, counter, state.open))) return null;
  const admitted = admitFresh(newRequests, remaining);
  const again = new Set(requests.map(({ key }) => key).filter((key) => openByKey.has(key)));
  const until = later(store.leaseNow(), reservationLease);
  const used = await inTurn(counter._id, () =>
    found
      ? write(store, counter, found, { admitted, again, until, limit })
      : writeFirst(store, counter, { admitted, limit }),
  );
  if (used === null) return null;
  const reservations = new Map([...state.open, ...admitted].map((reservation) => [reservation.key, reservation]));
  const refused: Grant = { outcome: refusal, used, limit: limit < 0 ? null : limit, receipt: null, isFresh: false };
  return requests.map((one) => {
    const reservation = reservations.get(one.key);
    return reservation ? { ...granted({ ...one, reservation }, used, limit), isFresh: !again.has(one.key) } : refused;
  });
}

const sumOf = (amounts: number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** Whether more could be admitted once prefetched units are released. */
function isShort(requests: LimitRequest[], remaining: number, open: Reservation[]): boolean {
  const ahead = prefetched(open).reduce((sum, reservation) => sum + (reservation.ahead ?? 0), 0);
  return ahead > 0 && sumOf(allocate(requests, remaining)) < sumOf(allocate(requests, remaining + ahead));
}

const allFit = (requests: LimitRequest[], remaining: number): boolean =>
  sumOf(allocate(requests, remaining)) === totalOf(requests);

/**
 * Releases the units that are reserved for work whose key was charged by an earlier reservation: they will never be
 * charged, and must not cause a refusal. Returns whether there were any.
 */
async function releaseRepeated(
  { records, settle }: ReserveDependencies,
  { _id, orgId, meter }: CounterName,
  open: Reservation[],
): Promise<boolean> {
  const releasable = open.filter(({ remembered, shared, amount }) => remembered && !shared && amount > 0);
  const charges = await Promise.all(releasable.map(({ key }) => records.find(orgId, meter, key)));
  const repeated = releasable.filter(({ nonce }, index) => (charges[index]?.nonce ?? nonce) !== nonce);
  const counter = { _id, orgId, meter };
  await Promise.all(repeated.map((reservation) => settle({ receipt: receiptOf(counter, reservation), charged: 0 })));
  return repeated.length > 0;
}

/** Admits the takes in order, then prefetched units from the remainder. */
function admitFresh(requests: LimitRequest[], remaining: number): Reservation[] {
  const amounts = allocate(requests, remaining);
  let spare = Math.max(
    0,
    Math.floor((remaining - amounts.reduce((sum, amount) => sum + amount, 0)) * maxPrefetchShare),
  );
  return requests
    .map(({ reservation: { ahead: _ahead, ...reservation }, ...ask }, index) => {
      const ahead = Math.min(ask.ahead, spare);
      spare -= ahead;
      return { ...reservation, amount: (amounts[index] ?? 0) + ahead, ...(ahead > 0 && { ahead }) };
    })
    .filter(({ amount }) => amount > 0);
}

type Decision = { admitted: Reservation[]; limit: number; again: Set<string>; until: Date };

/** Adds the admitted reservations, and marks and extends reservations of repeated keys, if the counter is unchanged. */
async function write(
  { counters }: Store,
  { _id, orgId }: CounterName,
  { open, used, revision }: CounterState,
  { admitted, limit, again, until }: Decision,
): Promise<number | null> {
  if (admitted.length === 0 && again.size === 0) return used;
  if (admitted.length > 0 && open.length + admitted.length > maxOpen) throw apiError('UNAVAILABLE');
  const total = totalOf(admitted);
  const marks = [...again].flatMap((key) => [
    [`${reservationPath(key)}.shared`, true],
    [`${reservationPath(key)}.until`, until],
  ]);
  const [first] = admitted;
  const { matchedCount } = await counters.updateOne(
    { _id, orgId, revision },
    {
      $set: { ...openedBy(admitted), ...Object.fromEntries(marks), ...(first && { limit }) },
      $inc: { used: total, held: admitted.length, revision: 1 },
      ...(first && { $min: { dueAt: first.until } }),
    },
  );
  return matchedCount === 1 ? used + total : null;
}

/** Inserts the counter with the admitted takes, unless another process inserted it first. */
async function writeFirst(
  store: Store,
  counter: CounterName,
  { admitted, limit }: Pick<Decision, 'admitted' | 'limit'>,
): Promise<number | null> {
  if (admitted.length === 0) return 0;
  return (await insertCounter(store, counter, { reservations: admitted, limit })) ? totalOf(admitted) : null;
}

const maxBatchSize = 200;
/** With this share of the limit left after it, a pending take cannot cause the refusal of another one. */
const optimisticShare = 1 / 16;

export type Taking = {
  /**
   * Reserves if the counter stays far below the limit, otherwise returns null and reserves nothing: for a caller that
   * has not decided yet whether to take at all.
   */
  reserveOptimistically: (ask: QuotaRequest) => Promise<Grant | null>;
  take: (ask: QuotaRequest) => Promise<Grant>;
};

/**
 * Reserves units of counters. One update per counter is in flight at a time; concurrent takes are batched into the next
 * update, so that a contended counter costs little more than one take. Units that others prefetched cause no refusal:
 * the take waits for their release.
 *
 * @throws UNAVAILABLE the counter has the maximum of open reservations.
 */
export function createTaking(
  dependencies: Pick<ReserveDependencies, 'store' | 'runExclusive' | 'clearing' | 'records' | 'settle'>,
): Taking {
  const { store, runExclusive: inTurn, clearing } = dependencies;
  const reserve = createReserving(store, clearing);
  const parts: ReserveDependencies = {
    ...dependencies,
    reserve: (request) => inTurn(request.counter._id, () => reserve(request)),
    awaitReturns: waitForPrefetchRelease(store.maxWait),
  };
  const reserveOptimistically = createBatcher(maxBatchSize, (asks: QuotaRequest[]) =>
    reserveAllOptimistically(parts, asks),
  );
  const take = createBatcher(maxBatchSize, (asks: QuotaRequest[]) => reserveBatched(parts, asks));
  const oneOfKey = createKeyedMutex();
  return {
    reserveOptimistically: (ask) => oneOfKey(nameOf(ask), () => reserveOptimistically(ask.counter._id, ask)),
    take: (ask) => oneOfKey(nameOf(ask), () => take(ask.counter._id, ask)),
  };
}

const nameOf = ({ counter, key }: QuotaRequest): string => `${counter._id}:${key}`;

async function reserveAllOptimistically(parts: ReserveDependencies, asks: QuotaRequest[]): Promise<(Grant | null)[]> {
  const [first] = asks;
  if (!first) return [];
  const { limit } = boundOf(first.counter, await allowanceOf(parts, first));
  const requests = reservationsFor(parts, asks);
  const made = await reserveAll(parts, requests, { limit, spare: Math.ceil(limit * optimisticShare) });
  return requests.map((one) => (made ? granted(one, made.used, limit) : null));
}

async function reserveBatched(parts: ReserveDependencies, asks: QuotaRequest[]): Promise<Grant[]> {
  const [first] = asks;
  if (!first) return [];
  const bound = boundOf(first.counter, await allowanceOf(parts, first));
  const requests = reservationsFor(parts, asks);
  // Mostly there is enough for all, and no further step is needed.
  const made = await reserveAll(parts, requests, { limit: bound.limit, spare: 0 });
  if (made) return requests.map((one) => granted(one, made.used, bound.limit));
  return await decide(parts, requests, bound);
}

const allowanceOf = ({ store }: ReserveDependencies, { counter }: QuotaRequest): Promise<Allowance> =>
  store.allowanceOf(counter.orgId, counter.meter);

function reservationsFor({ store }: ReserveDependencies, asks: QuotaRequest[]): LimitRequest[] {
  const until = later(store.leaseNow(), reservationLease);
  return asks.map((ask) => ({ ...ask, reservation: reservationOf(ask, until) }));
}

function boundOf({ meter }: CounterName, allowance: Allowance): LimitCheck {
  // A limit below zero admits nothing, while a repeated take still finds its earlier reservation.
  if (allowance.outcome !== 'included') return { limit: -1, refusal: allowance.outcome };
  return { limit: unitsOf(allowance.limit, meter), refusal: 'exceeded' };
}

function reservationOf({ key, amount, ahead, owner, remembered }: QuotaRequest, until: Date): Reservation {
  return { key, nonce: newNonce(), amount: amount + ahead, ...(ahead > 0 && { ahead }), until, owner, remembered };
}

/** Reserves all of them if at least `spare` units remain then; otherwise null, also when a key is already reserved. */
async function reserveAll(
  { reserve }: ReserveDependencies,
  requests: LimitRequest[],
  { limit, spare }: { limit: number; spare: number },
): Promise<Reserved | null> {
  const [first, ...others] = requests;
  if (!first) return null;
  const reservations: ReserveRequest['reservations'] = [
    first.reservation,
    ...others.map(({ reservation }) => reservation),
  ];
  const ahead = requests.reduce((sum, one) => sum + one.ahead, 0);
  const maxUsed = limit - spare - totalOf(requests) - Math.ceil(ahead / maxPrefetchShare);
  const wantsUsed = requests.some((one) => one.wantsUsed);
  return maxUsed >= 0 ? await reserve({ counter: first.counter, reservations, most: maxUsed, limit, wantsUsed }) : null;
}
