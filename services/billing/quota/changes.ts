import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Filter, UpdateFilter } from 'mongodb';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { second } from '../../../lib/data/clock.ts';
import { isDuplicateKey } from '../../../lib/data/database-errors.ts';
import type { CounterDocument, Overdue, Reservation } from '../../../models/billing/counter.ts';
import type { TakeDocument } from '../../../models/billing/take.ts';
import type { Records } from './records.ts';
import type { CounterName } from './shapes.ts';
import {
  type CounterReader,
  type CounterState,
  maxOpen,
  nothingUsed,
  overduePath,
  type Receipt,
  reservationPath,
  type Store,
  totalOf,
} from './store.ts';

/** A copy of a counter that the changes of a batch modify in turn; reservations and notes are replaced as a whole. */
export type Draft = {
  used: number;
  open: Map<string, Reservation>;
  overdue: Map<string, Overdue>;
  /** Grows with each change of the batch. */
  revision: number;
  /** False before the first reservation. */
  isStored: boolean;
  /** The limit in units; set by a take. */
  limit?: number;
  /** Set by the sweep: then the update computes when the counter is due next. */
  sweptAt?: Date;
  /** The records of the keys that the changes name. */
  records: ReadonlyMap<string, TakeDocument>;
  /** Whether a take was granted less than its amount. */
  isShort: boolean;
  /** Whether a take waits for the release of a block; the takes after it wait as well. */
  isWaiting: boolean;
};

/** A change of a counter. `apply` may run several times and throws before it modifies anything. */
export type Change<T> = {
  counter: CounterName;
  /** The remembered keys whose records `apply` needs. */
  keys?: string[];
  apply: (draft: Draft) => T;
  /** The likely effect, which one guarded update tries before the counter is read. */
  guess?: Guess<T>;
};

/** Opens reservations if `limit` leaves room for them and for `spare` units, or closes one. */
export type Guess<T> = { result: T } & (
  | { opens: Reservation[]; limit: number; spare: number }
  | { closes: Receipt; charged: number }
);

export type Changing = <T>(change: Change<T>) => Promise<T>;
type Settled = { value: unknown } | { error: unknown };

const maxBatchSize = 200;
const maxCommandSize = 100;
const commandConcurrency = 2;
/** The maximum of attempts; each retry follows a change by another process. */
const maxAttempts = 100;

/**
 * Changes counters. A process has one update of a counter in flight, and changes that are requested until then go into
 * the next one, so that a contended counter costs little more than one change. The update is guessed where possible and
 * guarded by the conditions of the guess; guesses for several counters are one command. If it does not match, the
 * counter is read, changed in memory, and written if its revision is still the same.
 */
export function createChanging(store: Store, read: CounterReader, records: Records): Changing {
  const update = createBatcher(maxCommandSize, (all: Statement[]) => updateMany(store, all), commandConcurrency);

  async function apply(changes: Change<unknown>[]): Promise<Settled[]> {
    const guesses = changes.flatMap(({ guess }) => guess ?? []);
    const statement = guesses.length === changes.length ? statementOf(nameOf(changes), guesses) : null;
    const lane = guesses.some((guess) => 'opens' in guess) ? 'open' : 'close';
    if (statement && (await update(lane, statement))) return guesses.map(({ result }) => ({ value: result }));
    for (let tries = 0; tries < maxAttempts; tries += 1) {
      const results = await applyToState(changes);
      if (results) return results;
    }
    throw apiError('UNAVAILABLE');
  }

  /** Null when another process has changed the counter since it was read. */
  async function applyToState(changes: Change<unknown>[]): Promise<Settled[] | null> {
    const counter = nameOf(changes);
    const state = await read(counter);
    // Read after the counter: a reservation that is recorded and closed in between changes the revision.
    const keys = changes.flatMap((change) => change.keys ?? []);
    let draft = draftOf(state, await records.find(counter, keys));
    let results = changes.map((change) => settle(change, draft));
    const repeated = draft.isShort && state ? [...state.open.values()].filter(mayBeRepeated) : [];
    if (repeated.length > 0) {
      draft = draftOf(state, await records.find(counter, [...keys, ...repeated.map(({ key }) => key)]));
      results = changes.map((change) => settle(change, draft));
    }
    return (await write(store, counter, state, draft)) ? results : null;
  }

  // The commits and takes that follow from an update mostly arrive in one turn of the event loop.
  const change = createBatcher(maxBatchSize, apply, 1, nextTurn);
  return async <T>(one: Change<T>) => {
    const settled = await change(one.counter._id, one);
    if ('error' in settled) throw settled.error;
    return settled.value as T;
  };
}

/** The counter of changes, one of which may know its period. */
const nameOf = (changes: Change<unknown>[]): CounterName =>
  (changes.find(({ counter }) => counter.period) ?? (changes[0] as Change<unknown>)).counter;

function settle(change: Change<unknown>, draft: Draft): Settled {
  try {
    return { value: change.apply(draft) };
  } catch (error) {
    return { error };
  } finally {
    draft.revision += 1;
  }
}

/**
 * Leaves out reservations for keys that were charged by another reservation: they will never be charged, and must not
 * cause a refusal.
 */
function draftOf(state: CounterState | null, records: ReadonlyMap<string, TakeDocument>): Draft {
  const { used, open, overdue, revision } = state ?? nothingUsed;
  const isRepeated = (one: Reservation) =>
    mayBeRepeated(one) && (records.get(one.key)?.nonce ?? one.nonce) !== one.nonce;
  const repeated = [...open.values()].filter(isRepeated);
  return {
    used: used - totalOf(repeated),
    open: new Map([...open].filter(([, one]) => !isRepeated(one))),
    overdue: new Map(overdue),
    revision,
    isStored: state !== null,
    records,
    isShort: false,
    isWaiting: false,
  };
}

const mayBeRepeated = ({ remembered, shared, amount }: Reservation): boolean => remembered && !shared && amount > 0;

type Statement = { filter: Filter<CounterDocument>; update: UpdateFilter<CounterDocument> };

/**
 * Fields with names that are new in every update. The driver writes a Map like an object; an object would make the
 * engine create a hidden class for each update, which costs more than the rest of the update.
 */
const fields = <T>(entries: (readonly [string, T])[]) => new Map(entries) as unknown as Record<string, T>;

/** The update of a guess, guarded by its conditions; null when it cannot match, or keys are repeated. */
function statementOf({ _id, orgId }: CounterName, guesses: Guess<unknown>[]): Statement | null {
  const opening = guesses.flatMap((guess) => ('opens' in guess ? guess : []));
  const closing = guesses.flatMap((guess) => ('closes' in guess ? guess : []));
  const opens = opening.flatMap((guess) => guess.opens);
  const keys = new Set([...opens.map(({ key }) => key), ...closing.map(({ closes }) => closes.key)]);
  if (keys.size < opens.length + closing.length) return null;
  const opened = opens.map((one) => [reservationPath(one.key), one] as const);
  const closed = closing.map(({ closes, charged }) => {
    return { path: reservationPath(closes.key), nonce: closes.nonce, released: closes.amount - charged };
  });
  const taken = totalOf(opens);
  const limit = opening.at(-1)?.limit ?? 0;
  const most = limit - taken - opening.reduce((sum, { spare }) => sum + spare, 0);
  if (opens.length > 0 && most < 0) return null;
  const held = opened.length - closed.length;
  const [first] = opens;
  return {
    filter: fields<unknown>([
      ['_id', _id],
      ['orgId', orgId],
      ...(first
        ? ([
            ['used', { $lte: most }],
            ['held', { $lte: maxOpen - held }],
          ] as const)
        : []),
      ...opened.map(([path]) => [path, { $exists: false }] as const),
      ...closed.map(({ path, nonce }) => [`${path}.nonce`, nonce] as const),
      ...closed.filter(({ released }) => released > 0).map(({ path }) => [`${path}.shared`, { $ne: true }] as const),
    ]),
    update: {
      $inc: { used: taken - closed.reduce((sum, { released }) => sum + released, 0), held, revision: 1 },
      ...(first && { $set: fields<unknown>([['limit', limit], ...opened]), $min: { dueAt: first.until } }),
      ...(closed.length > 0 && { $unset: fields(closed.map(({ path }) => [path, '' as const])) }),
    },
  };
}

/**
 * Whether each update matched. A command reports only the sum: when some matched, all count as failed, and the changes
 * are applied to the counters as read, where those that took effect have no further effect.
 */
async function updateMany({ counters }: Store, all: Statement[]): Promise<boolean[]> {
  const [first, ...others] = all;
  const { matchedCount } =
    first && others.length === 0
      ? await counters.updateOne(first.filter, first.update)
      : await counters.bulkWrite(
          all.map((updateOne) => ({ updateOne })),
          { ordered: false },
        );
  return all.map(() => matchedCount === all.length);
}

/** Writes the difference between a draft and the state that it was made from; false when that has changed. */
async function write(
  { counters }: Store,
  counter: CounterName,
  state: CounterState | null,
  draft: Draft,
): Promise<boolean> {
  const before = state ?? nothingUsed;
  const open = differenceOf(before.open, draft.open, reservationPath);
  const overdue = differenceOf(before.overdue, draft.overdue, overduePath);
  const set: [string, unknown][] = [...open.set, ...overdue.set];
  const unset = [...open.unset, ...overdue.unset];
  if (set.length + unset.length === 0 && draft.used === before.used && !draft.sweptAt) return true;
  if (!state) return await insert(counters, counter, draft);
  const dueAt = dueAtOf(draft);
  const isDueSet = draft.sweptAt !== undefined && dueAt !== null;
  if (isDueSet) set.push(['dueAt', dueAt]);
  if (draft.limit !== undefined) set.push(['limit', draft.limit]);
  if (!dueAt) unset.push('dueAt');
  const { matchedCount } = await counters.updateOne(
    fields<unknown>([
      ['_id', counter._id],
      ['orgId', counter.orgId],
      ['revision', state.revision],
      // Nodes of the previous release renew a lease without a new revision.
      ...open.replaced.map(([path, { until }]) => [`${path}.until`, until] as const),
    ]),
    {
      $inc: { used: draft.used - before.used, held: draft.open.size - before.open.size, revision: 1 },
      ...(set.length > 0 && { $set: fields(set) }),
      ...(unset.length > 0 && { $unset: fields(unset.map((path) => [path, ''] as const)) }),
      ...(dueAt && !isDueSet && { $min: { dueAt } }),
    },
  );
  return matchedCount === 1;
}

type Difference<T> = { set: [string, T][]; unset: string[]; replaced: [string, T][] };

/** The paths of values that were added or replaced and of removed ones, and the previous values of both. */
function differenceOf<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  pathOf: (key: string) => string,
): Difference<T> {
  const changed = [...after].filter(([key, value]) => before.get(key) !== value);
  const replaced = [...before].filter(([key, value]) => after.get(key) !== value);
  return {
    set: changed.map(([key, value]) => [pathOf(key), value]),
    unset: replaced.filter(([key]) => !after.has(key)).map(([key]) => pathOf(key)),
    replaced: replaced.map(([key, value]) => [pathOf(key), value]),
  };
}

/** Below the period of the sweep, so that none is missed by some milliseconds. */
const minPause = 30 * second;

/** When the sweep must look at the counter next; null when nothing can expire. */
function dueAtOf({ open, overdue, sweptAt }: Draft): Date | null {
  const untils = [...open.values(), ...overdue.values()].map(({ until }) => until.getTime());
  if (untils.length === 0) return null;
  return new Date(Math.max(Math.min(...untils), sweptAt ? sweptAt.getTime() + minPause : 0));
}

/** Inserts a counter; false when it exists. */
async function insert(counters: Store['counters'], counter: CounterName, draft: Draft): Promise<boolean> {
  const { _id, orgId, meter, period } = counter;
  const { used, limit = null } = draft;
  const open = Object.fromEntries(
    [...draft.open].map(([key, one]) => [reservationPath(key).slice('open.'.length), one]),
  );
  const dueAt = dueAtOf(draft);
  const periods = { periodStart: period?.start ?? null, periodEnd: period?.end ?? null };
  const content = { used, limit, open, held: draft.open.size, overdue: {}, revision: 0, warned: [] };
  try {
    await counters.insertOne({ _id, orgId, meter, ...periods, ...content, ...(dueAt && { dueAt }) });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
