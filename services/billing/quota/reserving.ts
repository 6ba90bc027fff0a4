import type { mongo } from 'mongoose';
import { createBatcher } from '../../../lib/batched.ts';
import type { CounterDocument, Reservation } from '../../../models/billing/counter.ts';
import type { DeferredRemoval } from './clearing.ts';
import type { CounterName } from './meters.ts';
import { maxOpen, type Receipt, reservationPath, type Store, totalOf } from './store.ts';

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

type Statement = { filter: mongo.Filter<CounterDocument>; change: mongo.UpdateFilter<CounterDocument> };

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
