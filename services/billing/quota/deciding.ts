import { allocate } from '../../../lib/admit.ts';
import { apiError } from '../../../lib/errors.ts';
import type { Reservation } from '../../../models/billing/counter.ts';
import {
  type Grant,
  granted,
  type LimitCheck,
  type LimitRequest,
  maxPrefetchShare,
  type ReserveDependencies,
} from './asks.ts';
import type { CounterName } from './meters.ts';
import { prefetched } from './returns.ts';
import {
  type CounterState,
  insertCounter,
  later,
  maxOpen,
  nothingUsed,
  openedBy,
  readCounter,
  receiptOf,
  reservationLease,
  reservationPath,
  type Store,
  totalOf,
} from './store.ts';

/** The maximum of attempts; each retry follows a concurrent take or release. */
const maxAttempts = 100;

/** Decides for each take by the counter's present state, and retries after a concurrent change. */
export async function decide(
  parts: ReserveDependencies,
  requests: LimitRequest[],
  bound: LimitCheck,
): Promise<Grant[]> {
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
