import { EventEmitter, once } from 'node:events';
import type { Logger } from 'moleculer';
import { Counter, Histogram } from 'prom-client';
import { fromNow, minute, now, second } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { CustomerModel } from '../../models/context/customer.ts';
import { type PendingEventDocument, PendingEventModel } from '../../models/context/pending-event.ts';
import { catchUpTogether } from './compose.ts';
import { pauseOfInserts, sinceInserts } from './insert-events.ts';
import { leasePending, postponePending, releasePending } from './pending-events.ts';
import { settlePending } from './settle.ts';
import { inTurn, isBusy } from './settle-turns.ts';

/** The most that a round takes: events, and customers whose stories it continues. */
type RoundSize = { events: number; customers: number };
const wholeRound: RoundSize = { events: 250, customers: 50 };
/** While this process inserts events, which wait for the commands of a round. */
const smallRound: RoundSize = { events: 32, customers: 8 };
const lease = 30 * second;
/** Rounds at once, so that one prepares while the other waits for the database. While events are sent there is one. */
const lanes = 2;
/** With more events than a round takes, stories are continued in every so many rounds. */
const backlogRoundsEach = 4;
let backlogRounds = 0;
const pollMilliseconds = 500;
/** While events are sent without a pause, a round at this interval still brings stories forward. */
const maxPauseMilliseconds = 250;
/** Work that has waited for so long does not wait for pauses any more. */
const maxDelay = minute;
/** When the oldest work of the last round was due. */
let oldestDue: Date | null = null;

/** Identifies this process as the owner of leases. */
const leaseOwner = newId('req');

const settled = new Counter({ name: 'context_events_composed_total', help: 'Events brought into a story.' });
const failed = new Counter({
  name: 'context_compose_failures_total',
  help: 'Attempts to bring events into a story that failed.',
});
const lag = new Histogram({
  name: 'context_compose_lag_seconds',
  help: 'Time from accepting an event until a story holds it.',
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
 * Composes stories in the background: finds pending events, claims them by a lease, brings them into their stories, and
 * polls twice a second or when woken. The events of a dead worker are claimed again after its lease.
 */
export function startComposer(logger: Logger): Composer {
  const stopping = new AbortController();
  const running = Promise.all(Array.from({ length: lanes }, (_none, lane) => run(logger, stopping.signal, lane === 0)));
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function run(logger: Logger, signal: AbortSignal, isFirst: boolean): Promise<void> {
  while (!signal.aborted) {
    const worked = await composeDue(logger).catch((error) => {
      logger.warn('Stories wait: the pending events could not be read', { error });
      return false;
    });
    await (worked ? letInsertsPass(signal, isFirst) : wakeOrPoll(signal));
  }
}

/**
 * Stories can wait, senders of events should not: a read settles by itself the events that it needs. The first lane does
 * not wait for ever.
 */
async function letInsertsPass(signal: AbortSignal, isFirst: boolean): Promise<void> {
  const isLate = oldestDue !== null && now().getTime() - oldestDue.getTime() > maxDelay;
  if (isFirst && isLate) return;
  await pauseOfInserts(isFirst ? AbortSignal.any([signal, AbortSignal.timeout(maxPauseMilliseconds)]) : signal);
}

async function wakeOrPoll(signal: AbortSignal): Promise<void> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(pollMilliseconds)]);
  // The end of the wait and a stop both arrive as an abort: either way it is time to poll.
  await once(wakes, 'wake', { signal: enough }).catch(() => undefined);
}

/**
 * One round over what is due; false when nothing was. What concerns a customer who is being read is left to the read:
 * waiting for it would hold up the reads of all others in this round.
 */
export async function composeDue(logger: Logger): Promise<boolean> {
  const most = sinceInserts() < maxPauseMilliseconds ? smallRound : wholeRound;
  const due = await findDue(most.events);
  oldestDue = due[0]?.nextAttemptAt ?? null;
  const items = due.filter(({ orgId, identifiers }) => !isBusy(orgId, identifiers));
  const byOrganization = Map.groupBy(items, ({ orgId }) => orgId);
  for (const [orgId, theirs] of byOrganization) {
    const identifiers = theirs.flatMap((item) => item.identifiers);
    await inTurn(orgId, identifiers, async () => {
      await settleOrRetry(logger, await leasePending(theirs, leaseOwner, lease));
    });
  }
  backlogRounds = due.length === most.events ? backlogRounds + 1 : 0;
  // Events first: a late one would take back what is composed now.
  const isTurn = backlogRounds % backlogRoundsEach === 0;
  const hasCaughtUp = isTurn && (await catchUpDue(logger, most.customers));
  return items.length > 0 || hasCaughtUp;
}

/** Continues the stories that are not current, a round of each; false when there was none. */
async function catchUpDue(logger: Logger, most: number): Promise<boolean> {
  const due = await CustomerModel.find({ composeAt: { $lte: now() } }, { orgId: 1 })
    .setOptions({ acrossTenants: true })
    .sort({ composeAt: 1 })
    .limit(most)
    .lean();
  for (const [orgId, theirs] of Map.groupBy(due, (customer) => customer.orgId)) {
    const customers = theirs.map(({ _id }) => _id);
    await leaseAndCatchUp(orgId, customers).catch((error) => {
      failed.inc();
      logger.error('Stories could not be composed; they are tried again later', { orgId, customers, error });
    });
  }
  return due.length > 0;
}

async function leaseAndCatchUp(orgId: string, customers: string[]): Promise<void> {
  const free = { orgId, _id: { $in: customers }, composeAt: { $lte: now() } };
  const { matchedCount } = await CustomerModel.updateMany(free, { $set: { composeAt: fromNow(lease) } });
  // None: another node was first.
  if (matchedCount > 0) await catchUpTogether(orgId, customers);
}

function findDue(most: number): Promise<PendingEventDocument[]> {
  return PendingEventModel.find({ nextAttemptAt: { $lte: now() } })
    .setOptions({ acrossTenants: true })
    .sort({ nextAttemptAt: 1 })
    .limit(most)
    .lean<PendingEventDocument[]>();
}

/** An event that cannot be composed is retried with backoff and does not delay the others of its batch. */
async function settleOrRetry(logger: Logger, items: PendingEventDocument[]): Promise<void> {
  const [first] = items;
  if (!first) return;
  try {
    const outcome = await settlePending(first.orgId, items);
    await releasePending(outcome.left);
    observe(outcome.settled);
  } catch (error) {
    failed.inc();
    if (items.length > 1) {
      for (const item of items) await settleOrRetry(logger, [item]);
      return;
    }
    logger.error('An event could not be brought into its story', { orgId: first.orgId, event: first.event, error });
    await postponePending(items);
  }
}

function observe(items: PendingEventDocument[]): void {
  settled.inc(items.length);
  for (const { receivedAt } of items) lag.observe((now().getTime() - receivedAt.getTime()) / 1000);
}
