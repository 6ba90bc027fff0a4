import { EventEmitter, once } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { Logger } from 'moleculer';
import { Counter, Histogram } from 'prom-client';
import { chunk, concurrently } from '../../../lib/concurrency/concurrently.ts';
import { hour, leaseFromNow, leaseNow, minute, now, second } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { CustomerModel } from '../../../models/context/customer.ts';
import { type PendingEventDocument, PendingEventModel } from '../../../models/context/pending-event.ts';
import { creditBacklog, isLate, updateBacklog } from '../ingest/backpressure.ts';
import { pauseMilliseconds, sinceInserts, waitForInsertIdle } from '../ingest/insert-events.ts';
import { leasePending, postponePending, releasePending } from '../ingest/pending-events.ts';
import { composerVersion } from '../story/state.ts';
import { catchUpBatch, takeUnfinished } from './compose.ts';
import { isBusy, runInTurns } from './group-events.ts';
import { settlePending } from './settle.ts';

/**
 * The size of a round of the composer: parts of one organization each, which begin with `oldest` due events and settle
 * up to `events` of the same identifiers; and up to `customers` whose stories it continues.
 */
export type RoundSize = { events: number; oldest: number; customers: number };

/** While this process inserts no events, and for late work, which must not fall behind without bound. */
const wholeRound: RoundSize = { events: 500, oldest: 125, customers: 50 };
/** During inserts while the thread has idle time, or between inserts. */
const mediumRound: RoundSize = { events: 200, oldest: 80, customers: 16 };
/** During inserts that use all time of the thread: they wait for the commands of a round. */
const smallRound: RoundSize = { events: 32, oldest: 32, customers: 8 };
/** The range of `oldest` in a whole round: the fewer, the more events of each customer a write settles. */
const oldestRange = { min: 8, max: 125 };
/** While events are sent without a pause, a round still runs at this interval. */
const maxPauseMilliseconds = 250;
/** The share of busy time below which a thread has idle time. */
const busyShare = 0.55;
/** The minimum time of a measurement. */
const measuredMilliseconds = 20;

export function roundSize(isLate: boolean): RoundSize {
  if (isLate || sinceInserts() >= maxPauseMilliseconds) return wholeRound;
  return sinceInserts() >= pauseMilliseconds || hasTimeLeft() ? mediumRound : smallRound;
}

/** Customers with many events each are settled in fewer and fuller parts. */
export function adaptOldest(size: RoundSize, found: number): void {
  if (size !== wholeRound) return;
  const { events, oldest } = wholeRound;
  if (found === events) wholeRound.oldest = Math.max(oldestRange.min, Math.floor(oldest / 2));
  else if (found < events / 2) wholeRound.oldest = Math.min(oldestRange.max, oldest * 2);
}

/**
 * Resolves when the next round may begin. Stories may be delayed, senders of events should not: a read settles the
 * events that it needs itself.
 */
export async function yieldToInserts(signal: AbortSignal): Promise<void> {
  if (hasTimeLeft()) return;
  await waitForInsertIdle(AbortSignal.any([signal, AbortSignal.timeout(maxPauseMilliseconds)]));
}

let measuredFrom = performance.eventLoopUtilization();
let hadTimeLeft = false;

/** Whether the thread had idle time since the last measurement. A runtime that does not measure it never has. */
function hasTimeLeft(): boolean {
  const present = performance.eventLoopUtilization();
  const { idle, active, utilization } = performance.eventLoopUtilization(present, measuredFrom);
  if (idle + active < measuredMilliseconds) return hadTimeLeft;
  measuredFrom = present;
  hadTimeLeft = utilization < busyShare;
  return hadTimeLeft;
}

/** The concurrency of parts: some prepare while others wait for the database. */
const partConcurrency = 2;
const lease = 30 * second;
/** With more due events than a round takes, stories are continued only once in this number of rounds. */
const backlogRoundsEach = 4;
let backlogRounds = 0;
const pollMilliseconds = 500;

/** Identifies this process as the owner of leases. */
const leaseOwner = newId('req');

const settled = new Counter({ name: 'context_events_composed_total', help: 'Events folded into a story.' });
const failed = new Counter({
  name: 'context_compose_failures_total',
  help: 'Failed attempts to fold events into a story.',
});
const lag = new Histogram({
  name: 'context_compose_lag_seconds',
  help: 'Time from accepting an event until a story includes it.',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
});

const wakes = new EventEmitter();
wakes.setMaxListeners(0);

/** Wakes this process's composers. Other nodes find waiting events by polling. */
export function wakeComposer(): void {
  wakes.emit('wake');
}

export type Composer = { stop: () => Promise<void> };

/**
 * Composes stories in the background: finds pending events, folds them into their stories, and polls twice a second or
 * when woken. With several nodes, each claims the events by a lease; the events of a dead worker are claimed again
 * after its lease expires.
 *
 * @param isAlone - whether no other node composes. When it is wrong, work is done twice.
 */
export function startComposer(logger: Logger, isAlone: () => boolean): Composer {
  const stopping = new AbortController();
  const running = run(logger, isAlone, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function run(logger: Logger, isAlone: () => boolean, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const worked = await processDueBatches(logger, isAlone).catch((error) => {
      logger.warn('Pending events could not be read; will retry', { error });
      return false;
    });
    await (worked ? pauseBetweenRounds(signal) : wakeOrPoll(signal));
  }
}

async function pauseBetweenRounds(signal: AbortSignal): Promise<void> {
  if (!isLate()) await yieldToInserts(signal);
}

async function wakeOrPoll(signal: AbortSignal): Promise<void> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(pollMilliseconds)]);
  // The end of the wait and a stop both arrive as an abort: either way it is time to poll.
  await once(wakes, 'wake', { signal: enough }).catch(() => undefined);
}

/**
 * Runs one round over the due work; returns false when nothing was done. Skips work that concerns a customer who is
 * being read, and leaves it to the read: waiting for it would delay the reads of all others in this round.
 */
export async function processDueBatches(logger: Logger, isAlone = () => false): Promise<boolean> {
  const size = roundSize(isLate());
  const limit = Math.min(size.events, size.oldest * partConcurrency);
  const due = await findDue(limit);
  updateBacklog(due);
  const free = due.filter(({ orgId, identifiers }) => !isBusy(orgId, identifiers));
  let taken = 0;
  await concurrently(partsOf(free, size.oldest), partConcurrency, async (part) => {
    await runInTurns(part.orgId, part.identifiers, async () => {
      const items = await findPart(part, size);
      taken += items.length;
      await settleOrRetry(logger, isAlone() ? items : await leasePending(items, leaseOwner, lease));
    });
  });
  backlogRounds = due.length === limit ? backlogRounds + 1 : 0;
  // Events first: a late event would rewind a fold that is continued now.
  const isTurn = backlogRounds % backlogRoundsEach === 0;
  const hasCaughtUp = isTurn && (await catchUpDue(logger, size.customers));
  return taken > 0 || hasCaughtUp;
}

/** A part of a round. `ids` are of work items. */
type Part = { orgId: string; ids: string[]; identifiers: string[] };

function partsOf(items: PendingEventDocument[], oldest: number): Part[] {
  return [...Map.groupBy(items, ({ orgId }) => orgId)].flatMap(([orgId, theirs]) =>
    chunk(theirs, oldest).map((batch) => ({
      orgId,
      ids: batch.map(({ _id }) => _id),
      identifiers: [...new Set(batch.flatMap(({ identifiers }) => identifiers))],
    })),
  );
}

/** Continues the stories that are not current, one round each; returns false when there was none. */
async function catchUpDue(logger: Logger, limit: number): Promise<boolean> {
  await postponeNewer();
  const due = await CustomerModel.find({ composeAt: { $lte: leaseNow() }, composerVersion: ownVersions }, { orgId: 1 })
    .setOptions({ acrossTenants: true })
    .sort({ composeAt: 1 })
    .limit(limit)
    .lean();
  const unfinished = takeUnfinished(limit);
  const named = due.map(({ orgId, _id }) => ({ orgId, customer: _id }));
  await forEachOrganization(logger, named, leaseAndCatchUp);
  await forEachOrganization(logger, unfinished, catchUpBatch);
  return due.length + unfinished.length > 0;
}

async function forEachOrganization(
  logger: Logger,
  named: { orgId: string; customer: string }[],
  compose: (orgId: string, customers: string[]) => Promise<void>,
): Promise<void> {
  for (const [orgId, theirs] of Map.groupBy(named, (one) => one.orgId)) {
    const customers = theirs.map(({ customer }) => customer);
    await compose(orgId, customers).catch((error) => {
      failed.inc();
      logger.error('Stories could not be composed; will retry', { orgId, customers, error });
    });
  }
}

/** A node leaves the folds of newer versions to nodes of these versions. */
const ownVersions = { $lte: composerVersion };
const newerVersions = { $gt: composerVersion };
/** After this time no node of the newer version is at work, as after a rollback. */
const newerPatience = minute;
const newerPause = hour;
const postponeEach = 10 * second;
const maxPostponed = 1000;
let postponedAt = 0;

/**
 * Postpones due folds of a newer version that no node continues, because each round would read past them. A node of
 * that version continues them when they are read.
 */
async function postponeNewer(): Promise<void> {
  if (performance.now() - postponedAt < postponeEach) return;
  postponedAt = performance.now();
  const overdue = { composeAt: { $lte: leaseFromNow(-newerPatience) }, composerVersion: newerVersions };
  const found = await CustomerModel.find(overdue, { orgId: 1 })
    .setOptions({ acrossTenants: true })
    .limit(maxPostponed)
    .lean();
  for (const [orgId, theirs] of Map.groupBy(found, (customer) => customer.orgId)) {
    const own = { orgId, _id: { $in: theirs.map(({ _id }) => _id) }, ...overdue };
    await CustomerModel.updateMany(own, { $set: { composeAt: leaseFromNow(newerPause) } });
  }
}

async function leaseAndCatchUp(orgId: string, customers: string[]): Promise<void> {
  const free = { orgId, _id: { $in: customers }, composeAt: { $lte: leaseNow() } };
  const { matchedCount } = await CustomerModel.updateMany(free, { $set: { composeAt: leaseFromNow(lease) } });
  // None: another node was first.
  if (matchedCount > 0) await catchUpBatch(orgId, customers);
}

/** The oldest work that is due, of all organizations. */
function findDue(limit: number): Promise<PendingEventDocument[]> {
  return PendingEventModel.find({ nextAttemptAt: { $lte: leaseNow() } })
    .setOptions({ acrossTenants: true })
    .sort({ nextAttemptAt: 1 })
    .limit(limit)
    .batchSize(limit)
    .lean<PendingEventDocument[]>();
}

/**
 * Finds the due work for the identifiers of a part, including the work that the part began with, so that a customer
 * with many events is written once instead of in many rounds. Unsorted: with a sort, a database might scan the whole
 * backlog.
 */
async function findPart({ orgId, ids, identifiers }: Part, size: RoundSize): Promise<PendingEventDocument[]> {
  const find = (which: object, limit: number) =>
    nativeCollection<PendingEventDocument>(PendingEventModel)
      .find({ orgId, nextAttemptAt: { $lte: leaseNow() }, ...which }, { limit, batchSize: limit })
      .toArray();
  if (ids.length >= size.events) return await find({ _id: { $in: ids } }, ids.length);
  const found = await find({ identifiers: { $in: identifiers } }, size.events);
  adaptOldest(size, found.length);
  // With more than a part takes, the oldest may not be among them, and would wait for newer ones.
  const others = new Set(found.map(({ _id }) => _id));
  const missed = ids.filter((id) => !others.has(id));
  const own = missed.length > 0 ? await find({ _id: { $in: missed } }, missed.length) : [];
  return [...own, ...found].slice(0, size.events);
}

/** An event that cannot be composed is retried with backoff and does not delay the others of its batch. */
async function settleOrRetry(logger: Logger, items: PendingEventDocument[]): Promise<void> {
  const [first] = items;
  if (!first) return;
  try {
    const outcome = await settlePending(first.orgId, items);
    await releasePending(outcome.left);
    creditBacklog(first.orgId, outcome.settled.length);
    observe(outcome.settled);
  } catch (error) {
    failed.inc();
    if (items.length > 1) {
      for (const half of chunk(items, Math.ceil(items.length / 2))) await settleOrRetry(logger, half);
      return;
    }
    logger.error('Event could not be folded into its story; will retry', {
      orgId: first.orgId,
      event: first.event,
      error,
    });
    await postponePending(items);
  }
}

function observe(items: PendingEventDocument[]): void {
  settled.inc(items.length);
  for (const { receivedAt } of items) lag.observe((now().getTime() - receivedAt.getTime()) / 1000);
}
