import type { Logger } from 'moleculer';
import { minute, now } from '../../lib/data/clock.ts';
import { isDatabaseUnreachable } from '../../lib/data/database-errors.ts';
import { type Claim, claim, findJobs, findOrMakeJob, isPausing, type Job, type Outcome, runClaimed } from './jobs.ts';
import { duePeriod, isFarAhead, type Schedule } from './schedule.ts';

/** The state of a schedule, for display. Times are ISO 8601; `next` is null when a period is due now. */
export type JobState = {
  name: string;
  doneUpTo: string | null;
  doneAt: string | null;
  next: string | null;
  runningOn: string | null;
  attempts: number;
  lastError: string | null;
};

/** `leaseTime`: the milliseconds after which a lease that its node does not renew expires. */
export type Worker = { owner: string; logger: Logger; leaseTime?: number };

const defaultLeaseTime = minute;

/** The schedules of one service on one node. */
export type Timetable = {
  names: string[];
  /** Runs the due work that is not claimed by a node; resolves when all of it has ended. Never throws. */
  look: () => Promise<void>;
  /** Runs the work of one schedule if it is due, also where its period is known to be done: after a request. */
  wake: (name: string) => Promise<void>;
  /** Runs a schedule's work for the current period, even if it was done already; throws the reason when it cannot. */
  runByHand: (name: string) => Promise<Date>;
  describe: () => Promise<JobState[]>;
  /** Aborts all running work; resolves when it has ended. */
  stop: () => Promise<void>;
};

type Running = { ending: AbortController; ended: Promise<unknown> };

/**
 * `doneUpTo`: the completed periods, cached to save reads. `seen`: each job's last observed heartbeat, and since when.
 */
type State = {
  running: Map<string, Running>;
  doneUpTo: Map<string, Date>;
  seen: Map<string, { token: number; beat: number; since: Date }>;
};

export function createTimetable(schedules: Schedule[], worker: Worker): Timetable {
  const state: State = { running: new Map(), doneUpTo: new Map(), seen: new Map() };
  let isStopping = false;
  const run = <T>(key: string, work: (ending: AbortController) => Promise<T>): Promise<T> => {
    const ending = new AbortController();
    const ended = work(ending).finally(() => state.running.delete(key));
    state.running.set(key, { ending, ended: ended.catch(() => undefined) });
    return ended;
  };
  return {
    names: schedules.map(({ name }) => name),
    async look() {
      if (isStopping) return;
      const due = schedules.filter((schedule) => !state.running.has(schedule.name) && !isKnownDone(schedule, state));
      await Promise.all(due.map((schedule) => run(schedule.name, (ending) => runDue(schedule, state, worker, ending))));
    },
    async wake(name) {
      const schedule = schedules.find((one) => one.name === name);
      // A look that has begun may have read the job before the request.
      await state.running.get(name)?.ended;
      if (!schedule || isStopping || state.running.has(name)) return;
      await run(name, (ending) => runDue(schedule, state, worker, ending));
    },
    async runByHand(name) {
      const schedule = schedules.find((one) => one.name === name);
      if (!schedule || isStopping) throw new Error(`There is no scheduled work ${name} here.`);
      const byHand = { ...schedule, name: `${name} by hand` };
      if (state.running.has(byHand.name)) throw new Error(`${name} is already being run by hand on this node.`);
      return await run(byHand.name, (ending) => runOnce(byHand, state, worker, ending));
    },
    describe: () => describe(schedules),
    async stop() {
      isStopping = true;
      for (const { ending } of state.running.values()) ending.abort();
      await Promise.all([...state.running.values()].map(({ ended }) => ended));
    },
  };
}

function isKnownDone({ name, period }: Schedule, { doneUpTo }: State): boolean {
  const done = doneUpTo.get(name);
  const at = now();
  return done !== undefined && done >= period.of(at) && !isFarAhead(done, at);
}

/** Runs one period after another until none is due or another node has the claim. */
async function runDue(schedule: Schedule, state: State, worker: Worker, ending: AbortController): Promise<void> {
  try {
    while (!ending.signal.aborted) {
      const claimed = await claimDue(schedule, state, worker);
      if (!claimed) return;
      const { kind } = await runClaimed(schedule, claimed, holderOf(worker, ending));
      if (kind !== 'done') return;
      state.doneUpTo.set(schedule.name, claimed.period);
      if (isKnownDone(schedule, state)) return;
    }
  } catch (error) {
    const level = isDatabaseUnreachable(error) ? 'debug' : 'error';
    worker.logger[level](`The scheduled work ${schedule.name} could not be claimed or marked`, error);
  }
}

const holderOf = ({ logger, leaseTime = defaultLeaseTime }: Worker, ending: AbortController) => ({
  ending,
  leaseTime,
  logger,
});

async function claimDue(schedule: Schedule, state: State, worker: Worker): Promise<Claim | null> {
  const job = await findOrMakeJob(schedule.name);
  const at = now();
  if (job.doneUpTo) state.doneUpTo.set(schedule.name, job.doneUpTo);
  const period = duePeriod(schedule, job, at) ?? (job.isRequested ? job.doneUpTo : null);
  if (!period || !isFree(job, state, worker) || isPausing(job, period)) return null;
  if (job.doneUpTo && isFarAhead(job.doneUpTo, at)) {
    const time = job.doneUpTo.toISOString();
    worker.logger.warn(
      `The scheduled work ${schedule.name} is recorded as done up to ${time}: a clock was or is wrong.`,
    );
  }
  const claimed = await claim(job, worker.owner, period);
  // Another node has taken the token. It updates the job before its next poll, unless it has died.
  if (claimed || !isStalled(`claim of ${job._id}`, job, state, worker)) return claimed;
  return await claim(job, worker.owner, period, true);
}

/** Whether a job has no owner, or its owner's lease has expired. */
function isFree(job: Job, state: State, worker: Worker): boolean {
  if (job.owner === null) return true;
  if (!isStalled(job._id, job, state, worker)) return false;
  worker.logger.warn(`The lease of ${job._id} on the node ${job.owner} expired; taking over.`);
  return true;
}

/** Whether this node has seen no change of a job for the duration of a lease. */
function isStalled(
  what: string,
  { token, beat }: Job,
  { seen }: State,
  { leaseTime = defaultLeaseTime }: Worker,
): boolean {
  const at = now();
  const before = seen.get(what);
  if (before?.token === token && before.beat === beat && before.since <= at) {
    return at.getTime() - before.since.getTime() >= leaseTime;
  }
  seen.set(what, { token, beat, since: at });
  return false;
}

/** Claims a job with a separate name, so that the regular schedule is not affected. */
async function runOnce(schedule: Schedule, state: State, worker: Worker, ending: AbortController): Promise<Date> {
  const job = await findOrMakeJob(schedule.name);
  const period = schedule.period.of(now());
  const claimed = isFree(job, state, worker) ? await claim(job, worker.owner, period) : null;
  if (!claimed) throw new Error(`${schedule.name} is already being run by ${job.owner ?? 'another node'}.`);
  const outcome: Outcome = await runClaimed(schedule, claimed, holderOf(worker, ending));
  if (outcome.kind === 'failed') throw outcome.error;
  if (outcome.kind !== 'done') throw new Error(`${schedule.name} was ${outcome.kind}.`);
  return claimed.period;
}

async function describe(schedules: Schedule[]): Promise<JobState[]> {
  const jobs = new Map((await findJobs(schedules.map(({ name }) => name))).map((job) => [job._id, job]));
  return schedules.map((schedule) => {
    const job = jobs.get(schedule.name);
    return {
      name: schedule.name,
      doneUpTo: job?.doneUpTo?.toISOString() ?? null,
      doneAt: job?.doneAt?.toISOString() ?? null,
      next: nextOf(schedule, job)?.toISOString() ?? null,
      runningOn: job?.owner ?? null,
      attempts: job?.attempts ?? 0,
      lastError: job?.lastError ?? null,
    };
  });
}

function nextOf(schedule: Schedule, job: Job | undefined): Date | null {
  const at = now();
  const due = duePeriod(schedule, { doneUpTo: job?.doneUpTo ?? null }, at);
  if (!due && job?.isRequested) return null;
  if (!due) return schedule.period.after(schedule.period.of(at));
  return job && isPausing(job, due) ? job.retryAt : null;
}
