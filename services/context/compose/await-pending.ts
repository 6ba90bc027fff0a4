import { setTimeout as wait } from 'node:timers/promises';
import { apiError } from '../../../lib/contract/errors.ts';
import { type PendingEventDocument, PendingEventModel } from '../../../models/context/pending-event.ts';
import { isFree } from '../ingest/pending-events.ts';
import { catchUpFold } from './compose.ts';
import { wakeComposer } from './composer.ts';
import { runInTurns } from './group-events.ts';
import type { Fold } from './progress.ts';
import { settlePending } from './settle.ts';

/** The maximum number of pending events that a round of a read settles. */
const batchSize = 500;
const maxReadMilliseconds = 800;
/** A read on a slow machine does this many rounds of work itself, however long they take. */
const minRounds = 3;
/** How long a read waits for work that other nodes have leased before it does the same work itself. */
const patienceMilliseconds = 300;
const pollMilliseconds = 15;

/** Identifiers, prefixed with their organization, for which the last read found more events than a round settles. */
const backlogs = new Set<string>();

/**
 * The wait of one read for the pending events of its customer. `rounds` counts those in which it did work itself;
 * `awaited` and `orphans` are ids of work items.
 */
export type Wait = {
  orgId: string;
  startedAt: number;
  rounds: number;
  awaited: string[];
  /** Work whose event is not stored yet, so that nothing was acknowledged. */
  orphans: Set<string>;
};

export function newWait(orgId: string): Wait {
  const startedAt = performance.now();
  return { orgId, startedAt, rounds: 0, awaited: [], orphans: new Set() };
}

/**
 * Runs work for a read when no other work of this process concerns the same identifiers. Where many events are pending
 * a read does not wait for its turn beyond its deadline; elsewhere turns are short.
 *
 * @throws UNAVAILABLE the read has taken too long.
 */
export async function runExclusiveFor<T>(read: Wait, identifiers: string[], work: () => Promise<T>): Promise<T> {
  if (!identifiers.some((key) => backlogs.has(`${read.orgId}:${key}`)))
    return runInTurns(read.orgId, identifiers, work);
  const waiting = new AbortController();
  const turn = runInTurns(read.orgId, identifiers, () => {
    waiting.abort();
    if (isOver(read)) abandonPending();
    return work();
  });
  const remaining = Math.max(0, read.startedAt + maxReadMilliseconds - performance.now());
  const end = wait(remaining, true, { signal: waiting.signal }).catch(() => false);
  const isGivenUp = await Promise.race([end, turn.then(always(false), always(false))]);
  if (isGivenUp) abandonPending();
  return await turn;
}

const always = (answer: boolean) => () => answer;
const isOver = ({ startedAt }: Wait): boolean => performance.now() - startedAt > maxReadMilliseconds;

/**
 * Settles the work that a read waits for: the remaining work of previous rounds, and the work of these identifiers;
 * returns whether that was all of it. At first it skips work that other nodes have leased. Settled work stays settled
 * when the read fails.
 *
 * @throws UNAVAILABLE the read has taken too long.
 */
export async function settleRound(read: Wait, identifiers: string[]): Promise<boolean> {
  const { items, isComplete } = await findAwaited(read, identifiers);
  const names = identifiers.map((key) => `${read.orgId}:${key}`);
  if (isComplete) for (const name of names) backlogs.delete(name);
  else for (const name of names) backlogs.add(name);
  if (items.length > 0) await settleAwaited(read, items);
  else read.awaited = [];
  return isComplete;
}

async function findAwaited({ orgId, awaited, orphans }: Wait, identifiers: string[]) {
  const unlessOrphan = orphans.size > 0 ? { _id: { $nin: [...orphans] } } : {};
  const found = identifiers.length > 0 ? await find({ orgId, identifiers: { $in: identifiers }, ...unlessOrphan }) : [];
  const previous = awaited.length > 0 ? await find({ orgId, _id: { $in: awaited } }) : [];
  const previousIds = new Set(previous.map(({ _id }) => _id));
  return {
    items: [...previous, ...found.filter(({ _id }) => !previousIds.has(_id))],
    isComplete: found.length < batchSize,
  };
}

function find(filter: { orgId: string; [field: string]: unknown }): Promise<PendingEventDocument[]> {
  return PendingEventModel.find(filter).limit(batchSize).lean<PendingEventDocument[]>();
}

async function settleAwaited(read: Wait, items: PendingEventDocument[]): Promise<void> {
  if (read.rounds >= minRounds && isOver(read)) abandonPending();
  const isPatient = performance.now() - read.startedAt < patienceMilliseconds;
  const mine = new Set(isPatient ? items.filter(isFree) : items);
  if (mine.size > 0) read.rounds += 1;
  const { settled, left } = await settlePending(read.orgId, [...mine]);
  const ended = new Set([...settled, ...left]);
  for (const item of mine) if (!ended.has(item)) read.orphans.add(item._id);
  const others = items.filter((item) => !mine.has(item));
  read.awaited = [...left, ...others].map(({ _id }) => _id);
  if (others.length > 0) await wait(pollMilliseconds);
}

/**
 * The fold of a customer that is behind, with every event that was assigned before; null when the customer is gone.
 *
 * @throws UNAVAILABLE that takes longer than a read may.
 */
export async function catchUpInTime(read: Wait, customer: string): Promise<Fold | null> {
  let rounds = 0;
  const mayGoOn = () => {
    rounds += 1;
    return rounds < minRounds || !isOver(read);
  };
  const { isCurrent, fold } = await catchUpFold(read.orgId, customer, mayGoOn);
  if (!isCurrent) abandonPending();
  return fold;
}

/** Leaves the remaining work to the composer, which skips customers that are being read. */
function abandonPending(): never {
  wakeComposer();
  throw apiError('UNAVAILABLE', {
    message: 'Many events of this customer are still being processed; try again shortly.',
  });
}
