import type { Logger } from 'moleculer';
import type { Collection, UpdateFilter } from 'mongodb';
import mongoose from 'mongoose';
import { Counter, Gauge } from 'prom-client';
import { fromNow, minute, now, second } from '../../lib/data/clock.ts';
import { isDuplicateKey } from '../../lib/data/database-errors.ts';
import type { Schedule } from './schedule.ts';

/** The state of a schedule's work in the whole pool. */
export type Job = {
  /** The schedule's name. */
  _id: string;
  /** The beginning of the last completed period; null before the first. */
  doneUpTo: Date | null;
  doneAt: Date | null;
  /** The beginning of the last attempted period. */
  period: Date | null;
  /** The fencing token: it grows with every claim, and a write with an older token changes nothing. */
  token: number;
  /** The node that holds the lease; null when the job is free. */
  owner: string | null;
  claimedAt: Date | null;
  /** The owner's heartbeat, a counter. Other nodes watch it grow, which needs no synchronized clocks. */
  beat: number;
  /** Attempts since the last success, including the one in flight. */
  attempts: number;
  /** A failed period is not retried before this time. */
  retryAt: Date | null;
  lastError: string | null;
  /** The operation that last requested a run out of turn; absent before the first. */
  requestedBy?: string;
  /** Whether that run is due. The end of a run clears it; an interrupted one remains due. */
  isRequested?: boolean;
};

/** The right to do a period's work. It is lost when another node claims the job. */
export type Claim = { name: string; period: Date; token: number; attempt: number };

const firstPause = 15 * second;
const maxPause = 15 * minute;
const maxErrorLength = 500;

export async function findJobs(names: string[]): Promise<Job[]> {
  return await jobs()
    .find({ _id: { $in: names } })
    .toArray();
}

export async function findOrMakeJob(name: string): Promise<Job> {
  const found = await jobs().findOne({ _id: name });
  if (found) return found;
  const nothing = { doneUpTo: null, doneAt: null, period: null, claimedAt: null, retryAt: null, lastError: null };
  const job: Job = { _id: name, ...nothing, token: 0, owner: null, beat: 0, attempts: 0 };
  try {
    await jobs().insertOne(job);
    return job;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return (await jobs().findOne({ _id: name })) ?? job;
  }
}

/**
 * Makes a run out of turn due, under the lease of the regular runs and without the backoff of a failure. May be
 * repeated. False while a node does the work.
 */
export async function requestRun(name: string, requestedBy: string): Promise<boolean> {
  await findOrMakeJob(name);
  const request = { requestedBy, isRequested: true, retryAt: null };
  const { matchedCount } = await jobs().updateOne({ _id: name, owner: null }, { $set: request });
  return matchedCount === 1;
}

/** Whether an operation was the last to request a run of this job. */
export async function isRequestedBy(name: string, requestedBy: string): Promise<boolean> {
  return (await jobs().findOne({ _id: name, requestedBy })) !== null;
}

/**
 * Claims a job in the state in which it was read; null when another node has claimed or changed it. The token is taken
 * by an insert, because a conditional update is not atomic on FerretDB. `isStuck`: another node has taken the next
 * token and died before it used it.
 */
export async function claim(job: Job, owner: string, period: Date, isStuck = false): Promise<Claim | null> {
  const { _id: name } = job;
  const token = (isStuck ? await lastToken(job) : job.token) + 1;
  if (!(await takeToken(name, token))) return null;
  const { matchedCount } = await jobs().updateOne(
    { _id: name, token: job.token, beat: job.beat },
    { $set: { token, owner, period, claimedAt: now() }, $inc: { attempts: 1 } },
  );
  if (matchedCount === 0) return null;
  await tokens().deleteMany({ name, token: { $lt: token } });
  return { name, period, token, attempt: job.attempts + 1 };
}

async function takeToken(name: string, token: number): Promise<boolean> {
  try {
    await tokens().insertOne({ _id: `${name} ${token}`, name, token });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

async function lastToken({ _id: name, token }: Job): Promise<number> {
  const taken = await tokens().find({ name }).toArray();
  return Math.max(token, ...taken.map((one) => one.token));
}

/** Renews the lease; false when it is lost. */
export function renew({ name, token }: Claim): Promise<boolean> {
  return write(name, token, { $inc: { beat: 1 } });
}

/**
 * Completes the period. Like the next two functions, returns false and changes nothing when another node has claimed
 * the job since.
 */
export function markDone({ name, token, period }: Claim): Promise<boolean> {
  const done = { doneUpTo: period, doneAt: now(), attempts: 0, lastError: null, retryAt: null, owner: null };
  return write(name, token, { $set: { ...done, isRequested: false } });
}

export function markFailed({ name, token, attempt }: Claim, error: unknown): Promise<boolean> {
  const lastError = String(error instanceof Error ? error.message : error).slice(0, maxErrorLength);
  const retryAt = fromNow(Math.min(firstPause * 2 ** Math.min(attempt - 1, 16), maxPause));
  return write(name, token, { $set: { owner: null, lastError, retryAt, isRequested: false } });
}

/** Releases the claim for the next node. The attempt is not counted. */
export function releaseLease({ name, token }: Claim): Promise<boolean> {
  return write(name, token, { $set: { owner: null }, $inc: { attempts: -1 } });
}

/**
 * Whether the due period has failed and its backoff is not over. A backoff above the maximum comes from a wrong clock.
 */
export function isPausing({ period, retryAt }: Job, due: Date): boolean {
  if (!retryAt || period?.getTime() !== due.getTime()) return false;
  return retryAt > now() && retryAt <= fromNow(maxPause);
}

async function write(name: string, token: number, changes: UpdateFilter<Job>): Promise<boolean> {
  const { matchedCount } = await jobs().updateOne({ _id: name, token }, changes);
  return matchedCount === 1;
}

function jobs(): Collection<Job> {
  return mongoose.connection.collection<Job>('scheduled_jobs');
}

/** A taken token. The unique `_id` gives it to exactly one node. */
type Token = { _id: string; name: string; token: number };

function tokens(): Collection<Token> {
  return mongoose.connection.collection<Token>('scheduled_job_tokens');
}

const runs = new Counter({
  name: 'scheduled_runs_total',
  help: 'Runs of scheduled work on this node, by name and outcome.',
  labelNames: ['name', 'outcome'],
});

const failures = new Gauge({
  name: 'scheduled_failures',
  help: 'How often scheduled work has failed on this node since it was last done here, by name.',
  labelNames: ['name'],
});

/** `interrupted`: the node stops. `lost`: another node has claimed the job. `failed`: see `error`. */
export type Outcome = { kind: 'done' | 'interrupted' | 'lost' } | { kind: 'failed'; error: unknown };

/**
 * `ending` aborts when the work must end. `leaseTime`: the milliseconds after which a lease that is not renewed
 * expires.
 */
export type LeaseHolder = { ending: AbortController; leaseTime: number; logger: Logger };

/** Runs claimed work and records the outcome in the job. The signal aborts as soon as this node has lost the lease. */
export async function runClaimed(schedule: Schedule, claimed: Claim, holder: LeaseHolder): Promise<Outcome> {
  const { name } = claimed;
  const lease = holdLease(claimed, holder);
  try {
    const { signal } = holder.ending;
    const ended = signal.aborted ? null : await work(schedule, claimed, signal);
    const outcome = await settle(ended, claimed, lease, holder);
    runs.inc({ name, outcome: outcome.kind });
    if (outcome.kind === 'done') failures.set({ name }, 0);
    if (outcome.kind === 'failed') failures.inc({ name });
    return outcome;
  } finally {
    lease.end();
  }
}

type Ended = { error: unknown } | null;

async function work({ run }: Schedule, { period, token }: Claim, signal: AbortSignal): Promise<Ended> {
  try {
    await run(period, signal, token);
    return null;
  } catch (error) {
    return { error };
  }
}

type Lease = { isLost: () => boolean; end: () => void };

async function settle(ended: Ended, claimed: Claim, lease: Lease, { ending, logger }: LeaseHolder): Promise<Outcome> {
  const { name, attempt } = claimed;
  if (lease.isLost()) return lost(name, logger);
  if (ending.signal.aborted) return (await releaseLease(claimed)) ? { kind: 'interrupted' } : lost(name, logger);
  if (!ended) return (await markDone(claimed)) ? { kind: 'done' } : lost(name, logger);
  const { error } = ended;
  logger.error(`The scheduled work ${name} failed, attempt ${attempt}; it will be retried`, error);
  return (await markFailed(claimed, error)) ? { kind: 'failed', error } : lost(name, logger);
}

function lost(name: string, logger: Logger): Outcome {
  logger.warn(`Lost the lease of the scheduled work ${name} to another node.`);
  return { kind: 'lost' };
}

/** Renews the lease and aborts the work when the lease is lost, because another node may have claimed it by then. */
function holdLease(claimed: Claim, { ending, leaseTime, logger }: LeaseHolder): Lease {
  let shownAt = performance.now();
  let isLost = false;
  const show = async () => {
    const at = performance.now();
    try {
      if (await renew(claimed)) shownAt = at;
      else isLost = true;
    } catch (error) {
      logger.debug(`The lease of ${claimed.name} was not renewed`, error);
      isLost ||= performance.now() - shownAt >= leaseTime;
    }
    if (isLost) ending.abort();
  };
  const timer = setInterval(() => void show(), leaseTime / 4).unref();
  return { isLost: () => isLost, end: () => clearInterval(timer) };
}
