import { createBatcher } from '../../../lib/batched.ts';
import { createKeyedMutex } from '../../../lib/one-at-a-time.ts';
import type { Reservation } from '../../../models/billing/counter.ts';
import {
  type Grant,
  granted,
  type LimitCheck,
  type LimitRequest,
  maxPrefetchShare,
  type QuotaRequest,
  type ReserveDependencies,
} from './asks.ts';
import { decide } from './deciding.ts';
import { unitsOf } from './limits.ts';
import type { CounterName } from './meters.ts';
import { createReserving, type Reserved, type ReserveRequest } from './reserving.ts';
import { waitForPrefetchRelease } from './returns.ts';
import { type Allowance, later, newNonce, reservationLease, totalOf } from './store.ts';

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
