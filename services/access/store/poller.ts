import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { minute, second } from '../../../lib/clock.ts';
import { concurrently } from '../../../lib/concurrently.ts';
import { isDatabaseUnreachable } from '../../../lib/database-errors.ts';
import { isDatabaseConnected } from '../../../mixins/mongo.ts';
import { readHeads } from './log.ts';
import { polls } from './metrics.ts';
import type { Replica } from './replica.ts';
import type { Synchroniser } from './synchroniser.ts';
import { within } from './within.ts';

const pause = second / 2;
const shortPause = 5;
const maxPollInterval = 2 * second;
const everythingEvery = minute;
/** How far back heads are read again: a change may follow its head a little later, and clocks may step back. */
const margin = 5 * second;
const currentFor = 5 * second;
const width = 8;

/** Polls the database for changes twice a second, to find those whose events were lost. */
export type Poller = {
  isCurrent: () => boolean;
  lag: () => number;
  /** Polls now; throws when the database does not answer. */
  poll: () => Promise<void>;
  /** Polls until it is stopped; resolves when all changes are known. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

type Parts = { replica: Replica; synchroniser: Synchroniser; logger: Logger };

/** `newest`: the instant, by the database's clock, up to which all changes are known. */
export function createPoller({ replica, synchroniser, logger }: Parts, newest: Date): Poller {
  let seen = newest.getTime();
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let everythingAt = performance.now();
  const stopping = new AbortController();
  let looping: Promise<void> = Promise.resolve();

  async function poll(): Promise<void> {
    const startedAt = performance.now();
    const isWhole = startedAt - everythingAt > everythingEvery;
    const heads = await readHeads(isWhole ? null : new Date(seen - margin));
    const behind = heads.filter(({ _id, revision }) => revision > replica.revisionOf(_id));
    await concurrently(behind, width, ({ _id }) => synchroniser.synchronise(_id));
    for (const { changedAt } of heads) seen = Math.max(seen, changedAt.getTime());
    if (isWhole) everythingAt = startedAt;
    confirmedAt = Math.max(confirmedAt, startedAt);
  }

  async function look(): Promise<void> {
    try {
      if (!isDatabaseConnected()) return polls.inc({ outcome: 'failed' });
      // A poll that hangs is abandoned.
      await within(maxPollInterval, poll());
      polls.inc({ outcome: 'done' });
    } catch (error) {
      polls.inc({ outcome: 'failed' });
      logger[isDatabaseUnreachable(error) ? 'debug' : 'warn']('Changes of access could not be looked for', { error });
    }
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look();
      await wait(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  const isCurrent = () => performance.now() - confirmedAt <= currentFor;

  return {
    isCurrent,
    lag: () => performance.now() - confirmedAt,
    poll: () => within(maxPollInterval, poll()),
    async start() {
      looping = loop();
      while (!isCurrent() && !stopping.signal.aborted) await wait(shortPause);
    },
    async stop() {
      stopping.abort();
      await looping;
    },
  };
}
