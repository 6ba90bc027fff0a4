import type { Logger } from 'moleculer';
import { Counter, Gauge } from 'prom-client';
import { type Claim, markDone, markFailed, releaseLease, renew } from './jobs.ts';
import type { Schedule } from './schedule.ts';

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
