import type { Logger, Service, ServiceSchema } from 'moleculer';
import mongoose from 'mongoose';
import { Counter } from 'prom-client';
import { day, fromNow, minute, now } from '../lib/clock.ts';
import { isDatabaseUnreachable, isDuplicateKey } from '../lib/database-errors.ts';

/** The beginning of the period that an instant lies in; two instants of one period give the same beginning. */
export type Period = (instant: Date) => Date;

/** Something to do once in every period, on one node of the pool. It may be repeated after a crash: make it idempotent. */
export type Schedule = {
  /** Unique in the platform, such as `context.retention`. */
  name: string;
  period: Period;
  /** Does the work of the period that began then; should soon end when the signal aborts, for the node stops. */
  run: (period: Date, signal: AbortSignal) => Promise<unknown>;
};

/** `doneAt` null: still to do, by `leaseOwner` until `leaseUntil`, then by anybody. */
type Job = {
  _id: string;
  leaseOwner: string;
  leaseUntil: Date;
  attempts: number;
  doneAt: Date | null;
  expiresAt: Date;
};

const lease = 2 * minute;
const lookEvery = minute / 4;
const mostAttempts = 5;
const kept = 40 * day;

const runs = new Counter({
  name: 'scheduled_runs_total',
  help: 'Runs of scheduled work on this node, by name and outcome.',
  labelNames: ['name', 'outcome'],
});

/** Periods of so many minutes, counted from midnight UTC; for divisors of a day. */
export function everyMinutes(minutes: number): Period {
  const length = minutes * minute;
  return (instant) => new Date(Math.floor(instant.getTime() / length) * length);
}

/** Days, from midnight to midnight UTC. */
export const daily: Period = everyMinutes(day / minute);

/**
 * Runs scheduled work while the service runs. All nodes of a pool look, the first to insert the period's job document
 * does it and renews its lease meanwhile; a failure or a dead node leaves the rest of the period for another try.
 * List it after `mongo(…)`, so that it stops first.
 */
export function cron(...schedules: Schedule[]): Partial<ServiceSchema> {
  const timetables = new WeakMap<Service, Timetable>();
  return {
    started(this: Service) {
      timetables.set(this, startTimetable(schedules, this.broker.nodeID, this.logger));
    },
    async stopped(this: Service) {
      await timetables.get(this)?.stop();
    },
  };
}

type Timetable = { stop: () => Promise<void> };

function startTimetable(schedules: Schedule[], owner: string, logger: Logger): Timetable {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const settled = new Map<string, string>();
  const look = () => {
    for (const schedule of schedules) {
      const work = runIfDue(schedule, { owner, logger, settled, signal: stopping.signal }).finally(() =>
        running.delete(work),
      );
      running.add(work);
    }
  };
  const timer = setInterval(look, lookEvery).unref();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** `settled` remembers by name the job that is known to be done, so that the database is not asked again for it. */
type Worker = { owner: string; logger: Logger; settled: Map<string, string>; signal: AbortSignal };

/** Does a schedule's work for the present period if nobody has; never throws. */
export async function runIfDue(schedule: Schedule, worker: Worker): Promise<void> {
  const period = schedule.period(now());
  const _id = `${schedule.name} ${period.toISOString()}`;
  if (worker.settled.get(schedule.name) === _id) return;
  try {
    const claimed = await claim(_id, worker.owner);
    if (claimed === 'done') worker.settled.set(schedule.name, _id);
    if (claimed === 'mine') await work(schedule, period, _id, worker);
  } catch (error) {
    const level = isDatabaseUnreachable(error) ? 'debug' : 'error';
    worker.logger[level](`The scheduled work ${schedule.name} could not be claimed`, error);
  }
}

async function work(schedule: Schedule, period: Date, _id: string, { owner, logger, signal }: Worker): Promise<void> {
  const mine = { _id, leaseOwner: owner };
  const renewal = setInterval(() => {
    // A renewal that fails is made good by the next one, or by whoever takes over.
    jobs()
      .updateOne(mine, { $set: { leaseUntil: fromNow(lease) } })
      .catch((error) => logger.debug(`The lease of ${_id} was not renewed`, error));
  }, lease / 4).unref();
  try {
    await schedule.run(period, signal);
    await jobs().updateOne(mine, { $set: { doneAt: now() } });
    runs.inc({ name: schedule.name, outcome: 'done' });
  } catch (error) {
    runs.inc({ name: schedule.name, outcome: 'failed' });
    logger.error(`The scheduled work ${schedule.name} failed; it is tried again in this period`, error);
  } finally {
    clearInterval(renewal);
  }
}

/** `mine`: to be done by us now. `done`: nothing left in this period. `taken`: somebody is at it. */
async function claim(_id: string, owner: string): Promise<'mine' | 'done' | 'taken'> {
  const leased = { leaseOwner: owner, leaseUntil: fromNow(lease) };
  try {
    await jobs().insertOne({ _id, ...leased, attempts: 1, doneAt: null, expiresAt: fromNow(kept) });
    await jobs().deleteMany({ expiresAt: { $lte: now() } });
    return 'mine';
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  const abandoned = { _id, doneAt: null, leaseUntil: { $lte: now() }, attempts: { $lt: mostAttempts } };
  const { modifiedCount } = await jobs().updateOne(abandoned, { $set: leased, $inc: { attempts: 1 } });
  if (modifiedCount === 1) return 'mine';
  const job = await jobs().findOne({ _id });
  return job?.doneAt || (job?.attempts ?? 0) >= mostAttempts ? 'done' : 'taken';
}

function jobs(): mongoose.mongo.Collection<Job> {
  return mongoose.connection.collection<Job>('scheduled_jobs');
}
