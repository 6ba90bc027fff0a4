import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import type { Reservation } from '../../../models/billing/counter.ts';
import type { Changing, Draft, Guess } from './changes.ts';
import { unitsOf } from './meters.ts';
import type { CounterName } from './shapes.ts';
import {
  type Allowance,
  type CounterReader,
  later,
  maxOpen,
  newNonce,
  type Receipt,
  receiptOf,
  reservationLease,
  type Store,
} from './store.ts';

/** A request for units of a counter. */
export type QuotaRequest = {
  amount: number;
  /** Units of a block that the process keeps for later work, in addition to the amount; fewer near the limit. */
  ahead: number;
  key: string;
  owner: string;
  /** Whether fewer units are granted when fewer remain. */
  isPartly: boolean;
  remembered: boolean;
  /** Whether the caller needs `used`, and the record of its key before the work. */
  wantsUsed: boolean;
};

type Outcome = 'taken' | 'exceeded' | 'notIncluded' | 'paymentRequired';

/** `isFresh`: reserved by this very take, not by an earlier one of the same key. `used` is null unless requested. */
export type Grant = {
  outcome: Outcome;
  used: number | null;
  limit: number | null;
  receipt: Receipt | null;
  isFresh: boolean;
};

/** A take with its reservation, and the limit in units; below zero it admits nothing, but finds repeated keys. */
type Take = Asked & { reservation: Reservation; limit: number; refusal: Exclude<Outcome, 'taken'> };
type Asked = QuotaRequest & { counter: CounterName };

/** The divisor of the units that remain: the maximum of a block. */
const blockShare = 16;
const pollMilliseconds = 20;
const maxBatchSize = 200;

type Parts = { store: Store; read: CounterReader; change: Changing; isAwaited: (block: Reservation) => boolean };

/**
 * Reserves units, in the order of the requests of this process for a counter. A take that would be refused only because
 * of units in blocks waits for their release, so that it is refused only when too few units remain.
 *
 * @throws UNAVAILABLE the counter has the maximum of open reservations.
 */
export function createTaking(parts: Parts): (asked: Asked) => Promise<Grant> {
  const take = createBatcher(maxBatchSize, (asked: Asked[]) => takeAll(parts, asked));
  return async (asked) => {
    const grant = await take(asked.counter._id, asked);
    if (grant === 'full') throw apiError('UNAVAILABLE');
    return grant;
  };
}

async function takeAll({ store, read, change, isAwaited }: Parts, asked: Asked[]): Promise<(Grant | 'full')[]> {
  const [first] = asked;
  if (!first) return [];
  const { counter } = first;
  const bound = boundOf(counter, await store.allowanceOf(counter.orgId, counter.meter));
  const grants = new Map<Asked, Grant | 'full'>();
  for (;;) {
    const pending = asked.filter((one) => !grants.has(one));
    const until = later(store.leaseNow(), reservationLease);
    const takes = pending.map((one): Take => ({ ...one, ...bound, reservation: reservationOf(one, until) }));
    const results = await change({
      counter,
      keys: pending.flatMap(({ remembered, key }) => (remembered ? key : [])),
      apply: (draft) => takes.map((one) => reserve(one, draft, isAwaited)),
      // Without a look at its record a repeated key may be reserved during its work again; it is charged once.
      ...(!pending.some(({ remembered, wantsUsed }) => remembered && wantsUsed) && { guess: guessOf(takes) }),
    });
    for (const [place, one] of pending.entries()) {
      const grant = results[place];
      if (grant) grants.set(one, grant);
    }
    if (grants.size === asked.length) break;
    await wait(pollMilliseconds);
  }
  const all = asked.map((one) => grants.get(one) ?? 'full');
  const lacksUsed = all.some((grant, place) => grant !== 'full' && grant.used === null && asked[place]?.wantsUsed);
  const used = lacksUsed ? ((await read(counter))?.used ?? 0) : null;
  return all.map((grant) => (grant === 'full' ? grant : { ...grant, used: grant.used ?? used }));
}

function boundOf({ meter }: CounterName, allowance: Allowance): Pick<Take, 'limit' | 'refusal'> {
  if (allowance.outcome !== 'included') return { limit: -1, refusal: allowance.outcome };
  return { limit: unitsOf(allowance.limit, meter), refusal: 'exceeded' };
}

const reservationOf = ({ key, owner, remembered, amount, ahead }: Asked, until: Date): Reservation => ({
  key,
  nonce: newNonce(),
  amount: amount + ahead,
  ...(ahead > 0 && { ahead }),
  until,
  owner,
  remembered,
});

/** Far from the limit takes are granted, with all of their blocks. */
function guessOf(takes: Take[]): Guess<(Grant | null)[]> {
  const spare = takes.reduce((sum, { ahead }) => sum + ahead * (blockShare - 1), 0);
  const opens = takes.map(({ reservation }) => reservation);
  const result = takes.map((take) => granted(take, take.reservation, null, true));
  return { opens, limit: takes[0]?.limit ?? 0, spare, result };
}

const granted = ({ counter, limit }: Take, opened: Reservation, used: number | null, isFresh: boolean): Grant => ({
  outcome: 'taken',
  used,
  limit: limit < 0 ? null : limit,
  receipt: receiptOf(counter, opened),
  isFresh,
});

/** Reserves units of a counter, or finds the reservation or the charge of the key; null: the take must wait. */
function reserve(take: Take, draft: Draft, isAwaited: Parts['isAwaited']): Grant | 'full' | null {
  const { key, reservation, limit, refusal } = take;
  const record = draft.records.get(key);
  if (record) {
    const grant = granted(take, { ...reservation, nonce: record.nonce, amount: record.amount }, draft.used, false);
    return { ...grant, receipt: grant.receipt && { ...grant.receipt, counter: record.counter } };
  }
  const open = draft.open.get(key);
  // The guess of this take may have had effect.
  if (open?.nonce === reservation.nonce) return granted(take, open, draft.used, true);
  if (open) {
    draft.open.set(key, { ...open, shared: true, until: reservation.until });
    return granted(take, open, draft.used, false);
  }
  if (draft.isWaiting) return null;
  const remaining = limit - draft.used;
  const amount = grantableOf(take, remaining);
  if (amount < take.amount) {
    draft.isShort = true;
    draft.isWaiting = mustWait(take, draft, isAwaited);
    if (draft.isWaiting) return null;
  }
  const ahead = Math.min(take.ahead, Math.max(0, Math.floor((remaining - amount) / blockShare)));
  if (amount + ahead === 0)
    return { outcome: refusal, used: draft.used, limit: limit < 0 ? null : limit, receipt: null, isFresh: false };
  if (draft.open.size >= maxOpen) return 'full';
  const { ahead: _ahead, ...rest } = reservation;
  const opened = { ...rest, amount: amount + ahead, ...(ahead > 0 && { ahead }) };
  draft.open.set(key, opened);
  draft.used += opened.amount;
  draft.limit = limit;
  return granted(take, opened, draft.used, true);
}

/** The units that a request is granted of those that remain; one that does not fit does not block those after it. */
export function grantableOf(
  { amount, isPartly }: Pick<QuotaRequest, 'amount' | 'isPartly'>,
  remaining: number,
): number {
  if (amount <= remaining) return amount;
  return isPartly ? Math.max(0, remaining) : 0;
}

/** Whether more could be granted once blocks are released. */
function mustWait(take: Take, { open, used }: Draft, isAwaited: Parts['isAwaited']): boolean {
  const blocks = blocksOf(open);
  const held = blocks.reduce((sum, { ahead = 0 }) => sum + ahead, 0);
  const remaining = take.limit - used;
  const isWorthIt = grantableOf(take, remaining + held) > grantableOf(take, remaining);
  return isWorthIt && isAnyAwaited(blocks, isAwaited);
}

/** Tests each block, because the time for which it is awaited begins when it is first tested. */
const isAnyAwaited = (blocks: Reservation[], isAwaited: Parts['isAwaited']): boolean =>
  blocks.filter(isAwaited).length > 0;

/** The open reservations with the units of a block. */
export const blocksOf = (open: ReadonlyMap<string, Reservation>): Reservation[] =>
  [...open.values()].filter(({ ahead }) => ahead !== undefined);

/** Waits for some milliseconds if the release of one of the blocks is worth waiting for; returns whether it was. */
export async function waitForBlocks(blocks: Reservation[], isAwaited: Parts['isAwaited']): Promise<boolean> {
  const shouldWait = isAnyAwaited(blocks, isAwaited);
  if (shouldWait) await wait(pollMilliseconds);
  return shouldWait;
}

const maxBlocks = 10_000;

/**
 * Whether the release of a block is worth waiting for. It is for `longest` milliseconds after it was first seen here:
 * after that its process is taken for dead, and its units stay reserved until the sweep.
 */
export function createBlockWait(longest: number): (block: Reservation) => boolean {
  const firstSeen = new LRUCache<string, number>({ max: maxBlocks });
  return ({ nonce }) => {
    const at = performance.now();
    const since = firstSeen.get(nonce) ?? at;
    firstSeen.set(nonce, since);
    return at - since < longest;
  };
}
