import { setTimeout as wait } from 'node:timers/promises';
import type { Filter, UpdateFilter } from 'mongodb';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { second } from '../../../lib/data/clock.ts';
import type { CounterDocument, Reservation } from '../../../models/billing/counter.ts';
import type { Settlement } from './settle.ts';
import { type CounterName, meters } from './shapes.ts';
import { maxOpen, type Receipt, reservationLease, reservationPath, type Store, totalOf } from './store.ts';

const betweenLooks = second / 2;
/** The maximum of milliseconds from the charge of a reservation to its removal, if its process is alive. */
export const clearedWithin = 3 * betweenLooks;

/**
 * Charged reservations that their counters still contain. Their removal does not change `used`, and the records of
 * their keys mark them as charged, so it is deferred: the next update of the counter removes them, or, without one for
 * some time, a separate update. The sweep handles dead processes and failed updates.
 */
export type DeferredRemoval = {
  /** Whether a removal may be deferred. Not for a gauge: a recount would count the units twice. */
  mayWait: (settlement: Settlement) => boolean;
  add: (receipt: Receipt) => void;
  /** The reservations that an update of a counter may remove; pass the ones that it does not remove to `clear`. */
  draw: (counter: string) => Receipt[];
  clear: (receipts: Receipt[]) => Promise<void>;
  /** Removes the charged reservations of a counter immediately, or of all counters. */
  flush: (counter?: string) => Promise<void>;
};

type Waiting = { byNonce: Map<string, Receipt>; isOld: boolean };

export function createDeferredRemoval(settle: (settlement: Settlement) => Promise<void>): DeferredRemoval {
  const waiting = new Map<string, Waiting>();
  let looking: NodeJS.Timeout | undefined;

  function draw(counter: string): Receipt[] {
    const drawn = [...(waiting.get(counter)?.byNonce.values() ?? [])];
    waiting.delete(counter);
    return drawn;
  }

  async function clear(receipts: Receipt[]): Promise<void> {
    await Promise.allSettled(receipts.map((receipt) => settle({ receipt, charged: receipt.amount })));
  }

  function look(): void {
    for (const [counter, one] of waiting) {
      if (one.isOld) void clear(draw(counter));
      one.isOld = true;
    }
    if (waiting.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  }

  return {
    mayWait: ({ receipt, charged }) =>
      receipt.remembered && charged === receipt.amount && meters[receipt.meter].kind !== 'gauge',
    add(receipt) {
      const one = waiting.get(receipt.counter) ?? { byNonce: new Map(), isOld: false };
      waiting.set(receipt.counter, one);
      one.byNonce.set(receipt.nonce, receipt);
      looking ??= setInterval(look, betweenLooks).unref();
    },
    draw,
    clear,
    async flush(counter) {
      const names = counter === undefined ? [...waiting.keys()] : [counter];
      await Promise.all(names.map((name) => clear(draw(name))));
    },
  };
}

/** Reservations of one counter, to be made if `used` is at most `most` before. */
export type ReserveRequest = {
  counter: CounterName;
  reservations: [Reservation, ...Reservation[]];
  most: number;
  /** The limit that `most` was computed from. */
  limit: number;
  /** Whether to return `used` after the update. */
  wantsUsed: boolean;
};

/** `used` after the update; null unless it was requested. */
export type Reserved = { used: number | null };

/** A request, and the charged reservations that its update removes besides. */
type Update = ReserveRequest & { charged: Receipt[] };

const maxBatchSize = 100;
const reserveConcurrency = 2;

/**
 * Makes all reservations of a request or none, in one update of the counter, which also removes charged reservations.
 * Null when more was used before, a key is held already, or there are too many reservations. Requests for several
 * counters that do not need `used` go in one command.
 */
export function createReserving(
  { counters }: Store,
  clearing: DeferredRemoval,
): (request: ReserveRequest) => Promise<Reserved | null> {
  const reserve = createBatcher(
    maxBatchSize,
    (updates: Update[]) => reserveMany(counters, updates),
    reserveConcurrency,
  );
  return async (request) => {
    const charged = clearing.draw(request.counter._id);
    const update = { ...request, charged };
    let made: Reserved | null = null;
    try {
      if (hasRepeatedKey(update)) return null;
      made = request.wantsUsed ? await reserveOne(counters, update) : await reserve('', update);
      return made;
    } finally {
      if (!made) void clearing.clear(charged);
    }
  };
}

/** Whether a requested key is still held by a charged reservation. */
function hasRepeatedKey({ reservations, charged }: Update): boolean {
  const keys = new Set(charged.map(({ key }) => key));
  return keys.size > 0 && reservations.some(({ key }) => keys.has(key));
}

type Counters = Store['counters'];

/** Not every implementation of the protocol takes a projection here. A counter mostly has few open reservations. */
async function reserveOne(counters: Counters, update: Update): Promise<Reserved | null> {
  const { filter, change } = statementOf(update);
  const counter = await counters.findOneAndUpdate(filter, change, { returnDocument: 'after' });
  return counter && { used: counter.used };
}

async function reserveMany(counters: Counters, updates: Update[]): Promise<(Reserved | null)[]> {
  const { matchedCount } = await counters.bulkWrite(
    updates.map((one) => {
      const { filter, change } = statementOf(one);
      return { updateOne: { filter, update: change } };
    }),
    { ordered: false },
  );
  const areAlike = matchedCount === updates.length || matchedCount === 0;
  const made = areAlike ? updates.map(() => matchedCount > 0) : await matchedUpdates(counters, updates);
  return made.map((isMade) => (isMade ? { used: null } : null));
}

/** The command reports only the sum of the matches. Reads from the counters which updates matched. */
async function matchedUpdates(counters: Counters, requests: ReserveRequest[]): Promise<boolean[]> {
  const names = requests.map(({ counter }) => counter);
  const found = await counters
    .find(
      { orgId: { $in: names.map(({ orgId }) => orgId) }, _id: { $in: names.map(({ _id }) => _id) } },
      { projection: { open: 1 } },
    )
    .toArray();
  const nonces = new Set(found.flatMap(({ open }) => Object.values(open)).map(({ nonce }) => nonce));
  return requests.map(({ reservations: [first] }) => nonces.has(first.nonce));
}

/**
 * Update fields with names that are new in every update. The driver writes a Map like an object; an object would make
 * the engine create a hidden class for each update, which costs more than the rest of the update.
 */
const fields = <T>(entries: [string, T][]) => new Map(entries) as unknown as Record<string, T>;

type Statement = { filter: Filter<CounterDocument>; change: UpdateFilter<CounterDocument> };

function statementOf({ counter: { _id, orgId }, reservations, charged, most, limit }: Update): Statement {
  const opened = reservations.map((reservation): [string, Reservation] => [
    reservationPath(reservation.key),
    reservation,
  ]);
  const cleared = charged.map(({ key, nonce }): [string, string] => [reservationPath(key), nonce]);
  const openChange = opened.length - cleared.length;
  const [{ until }] = reservations;
  return {
    filter: fields<unknown>([
      ['_id', _id],
      ['orgId', orgId],
      ['used', { $lte: most }],
      ['held', { $lte: maxOpen - openChange }],
      ...opened.map(([slot]): [string, unknown] => [slot, { $exists: false }]),
      ...cleared.map(([slot, nonce]): [string, unknown] => [`${slot}.nonce`, nonce]),
    ]),
    change: {
      $inc: { used: totalOf(reservations), ...(openChange !== 0 && { held: openChange }), revision: 1 },
      $set: fields<unknown>([['limit', limit], ...opened]),
      ...(cleared.length > 0 && { $unset: fields(cleared.map(([slot]) => [slot, '' as const])) }),
      $min: { dueAt: until },
    },
  };
}

const releasePollMilliseconds = 20;

/** The open reservations with prefetched units. */
export const prefetched = (open: Reservation[]): Reservation[] => open.filter(({ ahead }) => ahead !== undefined);

/**
 * Waits until others have released their prefetched units, as they do within some tenths of a second. Waits at most
 * `longest` milliseconds for each reservation: after that its node is taken for dead, and the units stay reserved until
 * the sweep. Returns whether it makes sense to look again.
 */
export function waitForPrefetchRelease(longest: number): (open: Reservation[]) => Promise<boolean> {
  const firstSeen = new Map<string, number>();
  return async (open) => {
    const at = performance.now();
    discardBefore(firstSeen, at - 2 * reservationLease);
    for (const { nonce } of open) if (!firstSeen.has(nonce)) firstSeen.set(nonce, at);
    const shouldRetry = open.some(({ nonce }) => at - (firstSeen.get(nonce) ?? at) < longest);
    if (shouldRetry) await wait(releasePollMilliseconds);
    return shouldRetry;
  };
}

function discardBefore(firstSeen: Map<string, number>, instant: number): void {
  for (const [nonce, at] of firstSeen) {
    if (at >= instant) return;
    firstSeen.delete(nonce);
  }
}
