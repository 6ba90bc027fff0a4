import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';
import { schedule } from 'node-cron';
import { askNodes } from '../../lib/contract/ask-nodes.ts';
import { day, minute } from '../../lib/data/clock.ts';
import { newSweep, type Sweep } from '../../lib/data/sweep.ts';
import type { Schedule } from './schedule.ts';
import { createTimetable, type JobState, type Timetable } from './timetable.ts';

export type { Schedule } from './schedule.ts';
export type { JobState } from './timetable.ts';

/** Each quarter of a minute by this machine's clock; a sleep of the machine skips the ticks in it. */
const ticks = '*/15 * * * * *';

/** By broker, because tests run several in one process. */
const timetables = new WeakMap<ServiceBroker, Set<Timetable>>();

/**
 * Runs scheduled work while the service runs. All nodes of a pool poll, and one of them does each period's work: it
 * claims the schedule's job document and renews its lease there. Failed work is retried with a backoff of up to a
 * quarter of an hour; the work of a dead node is claimed by another within two minutes. List it before `mongo(…)`, so
 * that it stops first. Work that calls other services is passed as a function of the broker.
 */
export function cron(...planned: (Schedule | ((broker: ServiceBroker) => Schedule))[]): Partial<ServiceSchema> {
  const stops = new WeakMap<Service, () => Promise<void>>();
  return {
    started(this: Service) {
      const schedules = planned.map((one) => (typeof one === 'function' ? one(this.broker) : one));
      const timetable = createTimetable(schedules, { owner: this.broker.nodeID, logger: this.logger });
      const ofBroker = timetables.get(this.broker) ?? new Set();
      timetables.set(this.broker, ofBroker.add(timetable));
      const task = schedule(ticks, () => void timetable.look(), { unref: true, suppressMissedWarning: true });
      stops.set(this, async () => {
        await task.destroy();
        ofBroker.delete(timetable);
        await timetable.stop();
      });
    },
    async stopped(this: Service) {
      await stops.get(this)?.();
    },
  };
}

/**
 * A schedule of a sweep, for `cron`. Each sweep has a separate schedule, so that a slow or failing one does not block
 * others.
 */
export function sweeping(
  name: string,
  period: Period,
  run: (broker: ServiceBroker, sweep: Sweep) => Promise<unknown>,
): (broker: ServiceBroker) => Schedule {
  return (broker) => ({
    name,
    period,
    run: (_period, signal) => run(broker, newSweep(name, broker.logger, signal)),
  });
}

/** The state of the schedules of this node's services in the whole pool. */
export async function describeJobs(broker: ServiceBroker): Promise<JobState[]> {
  const states = await Promise.all([...(timetables.get(broker) ?? [])].map((timetable) => timetable.describe()));
  return states.flat();
}

/** A node that did not tell its jobs, and why. */
type Silent = { nodeID: string; error: string };

/** The scheduled work of all services in the pool, sorted by name, and the nodes that did not answer. */
export async function readJobsOfPool(broker: ServiceBroker): Promise<{ jobs: JobState[]; silent: Silent[] }> {
  const answers = await askNodes<JobState[]>(broker, 'node.jobs');
  // Nodes that run the same service report the same state from the database.
  const jobs = new Map(answers.flatMap(({ answer }) => (answer ?? []).map((job) => [job.name, job])));
  return {
    jobs: [...jobs.values()].sort((one, other) => one.name.localeCompare(other.name)),
    silent: answers.flatMap(({ nodeID, error }) => (error === null ? [] : [{ nodeID, error }])),
  };
}

/** The event after which each node looks whether a requested run is due. Its payload has the name of the schedule. */
export const jobRequested = 'scheduled-job.requested';

/** Notifies all nodes of a request; one of them does the work if it is due. */
export async function wakeJobInPool(broker: ServiceBroker, name: string): Promise<void> {
  await broker.broadcast(jobRequested, { name });
}

/** Looks on this node whether a schedule is due; resolves when its work has ended. Never throws. */
export async function wakeJob(broker: ServiceBroker, name: string): Promise<void> {
  await Promise.all([...(timetables.get(broker) ?? [])].map((timetable) => timetable.wake(name)));
}

/** Runs scheduled work once now, on this node, and returns its period; throws the reason when it cannot. */
export async function runJob(broker: ServiceBroker, name: string): Promise<Date> {
  const timetable = [...(timetables.get(broker) ?? [])].find(({ names }) => names.includes(name));
  if (!timetable) throw new Error(`There is no scheduled work ${name} on ${broker.nodeID}.`);
  return await timetable.runByHand(name);
}

/**
 * The periods of a schedule, in UTC. `of`: the beginning of the period that contains an instant. `after`: the beginning
 * of the next period, given the beginning of one.
 */
export type Period = { of: (instant: Date) => Date; after: (beginning: Date) => Date };

/** Periods of `minutes` minutes, counted from midnight UTC; for divisors of a day. */
export function everyMinutes(minutes: number): Period {
  const length = minutes * minute;
  return {
    of: (instant) => new Date(Math.floor(instant.getTime() / length) * length),
    after: (beginning) => new Date(beginning.getTime() + length),
  };
}

/** Days, from midnight to midnight UTC. */
export const daily: Period = everyMinutes(day / minute);

/** Calendar months in UTC. */
export const monthly: Period = {
  of: (instant) => new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth())),
  after: (beginning) => new Date(Date.UTC(beginning.getUTCFullYear(), beginning.getUTCMonth() + 1)),
};
