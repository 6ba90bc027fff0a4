import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { concurrently } from '../../../lib/concurrency/concurrently.ts';
import { minute, second } from '../../../lib/data/clock.ts';
import { isDatabaseUnreachable } from '../../../lib/data/database-errors.ts';
import { isDatabaseConnected } from '../../../mixins/mongo.ts';
import { withTimeout } from './access-store.ts';
import { readHeads } from './log.ts';
import { polls } from './metrics.ts';
import type { Replica } from './replica.ts';
import type { Synchroniser } from './synchroniser.ts';

const pause = second / 2;
const shortPause = 5;
const maxPollInterval = 2 * second;
const everythingEvery = minute;
/** How far back heads are read again: a change may follow its head a little later, and clocks may step back. */
const margin = 5 * second;
const currentFor = 5 * second;
const width = 8;

/** Polls the database for changes twice a second, to find those whose events were lost. */
type Poller = {
  isCurrent: () => boolean;
  lag: () => number;
  /** Polls now; throws when the database does not answer. */
  poll: () => Promise<void>;
  /**
   * Polls now if the last poll is long ago because the whole process paused, and not because the database did not
   * answer. Never throws: check {@link isCurrent} afterwards.
   */
  resume: () => Promise<void>;
  /** Polls until it is stopped; resolves when all changes are known. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

type Parts = { replica: Replica; synchroniser: Synchroniser; logger: Logger };

/** `newest`: the instant, by the database's clock, up to which all changes are known. */
export function createPoller(parts: Parts, newest: Date): Poller {
  const { logger } = parts;
  let seen = newest.getTime();
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let hasFailed = false;
  let resuming: Promise<void> | undefined;
  let everythingAt = performance.now();
  const stopping = new AbortController();
  let looping: Promise<void> = Promise.resolve();

  async function poll(): Promise<void> {
    const startedAt = performance.now();
    const isWhole = startedAt - everythingAt > everythingEvery;
    seen = Math.max(seen, await readChanges(parts, isWhole ? null : new Date(seen - margin)));
    if (isWhole) everythingAt = startedAt;
    confirmedAt = Math.max(confirmedAt, startedAt);
  }

  async function look(): Promise<void> {
    hasFailed = !(await succeeds(poll, logger));
    polls.inc({ outcome: hasFailed ? 'failed' : 'done' });
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
    poll: () => withTimeout(maxPollInterval, poll()),
    async resume() {
      if (isCurrent() || hasFailed) return;
      resuming ??= look().finally(() => {
        resuming = undefined;
      });
      await resuming;
    },
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

/** Reads what was changed since an instant, or everything; gives the instant of the newest change, in milliseconds. */
async function readChanges({ replica, synchroniser }: Parts, since: Date | null): Promise<number> {
  const heads = await readHeads(since);
  const behind = heads.filter(({ _id, revision }) => revision > replica.revisionOf(_id));
  await concurrently(behind, width, ({ _id }) => synchroniser.synchronise(_id));
  return heads.reduce((newest, { changedAt }) => Math.max(newest, changedAt.getTime()), 0);
}

/** Whether the database answered a poll. One that hangs is abandoned. */
async function succeeds(poll: () => Promise<void>, logger: Logger): Promise<boolean> {
  try {
    if (!isDatabaseConnected()) return false;
    await withTimeout(maxPollInterval, poll());
    return true;
  } catch (error) {
    logger[isDatabaseUnreachable(error) ? 'debug' : 'warn']('Polling for access changes failed', { error });
    return false;
  }
}
