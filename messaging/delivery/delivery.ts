import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import type { Model } from 'mongoose';
import { fromNow, now, second } from '../../lib/clock.ts';
import { isDatabaseUnreachable } from '../../lib/database-errors.ts';
import { newId } from '../../lib/ids.ts';
import { createBreaker } from './breaker.ts';
import type { DeliveryFields } from './documents.ts';
import { DeliveryError, type Failure, nextAttempt } from './failures.ts';
import type { DeliveryMetrics } from './metrics.ts';
import { type Claim, createQueue, lease, type Queue } from './queue.ts';
import type { Wake } from './wake.ts';

/** What a service says of its deliveries. `O`: the fields that it stores with an outcome. */
export type DeliveryKind<D extends DeliveryFields> = {
  /** `Mail`, for the log. */
  thing: string;
  model: Model<D>;
  wake: Wake;
  metrics: DeliveryMetrics;
  /** The maximum in flight on a node, and of one organization: fewer, so that another organization finds a place. */
  places: number;
  placesOfOrganization: number;
  /** How long deliveries are tried; a day by default. */
  patience?: number;
};

/** How a node delivers. */
export type Deliverer<D extends DeliveryFields> = {
  /** Delivers; resolves with the fields to store, whose `status` is `sent` unless they say otherwise. Throws a DeliveryError. */
  deliver: (claim: Claim<D>) => Promise<Partial<D>>;
  /** The connection that a delivery uses, for the circuit breaker. */
  connectionOf: (claim: Claim<D>) => string | Promise<string>;
  /** The fields to store with a dead letter. */
  deadFields?: (claim: Claim<D>, failure: Failure) => Partial<D>;
  /** Called after a dead letter was stored; it is repeated by nobody, so a failure is the callee's to repair. */
  died?: (claim: Claim<D>, failure: Failure) => Promise<void>;
  /** Called when the outcome of an attempt was stored. */
  stored?: (claim: Claim<D>) => void;
};

export type Delivery = {
  /** Queues what is due again. `run` does it each second. */
  promote: () => Promise<void>;
  /** Starts what is ready, as far as there are places. `run` does it whenever it is woken. */
  fill: () => Promise<void>;
  /** Resolves when nothing is in flight. */
  settled: () => Promise<void>;
  /** Delivers until the signal aborts, then completes what is in flight. */
  run: (signal: AbortSignal) => Promise<void>;
};

const pollMilliseconds = second;
const noteAttempts = 40;
const notePauseMilliseconds = 250;

/**
 * Delivers stored documents, each at least once. Any number of processes share the work, and organizations take turns.
 * When a process dies, what it held is delivered by another after the lease, possibly twice, under the same id.
 */
export function createDelivery<D extends DeliveryFields>(
  kind: DeliveryKind<D>,
  deliverer: Deliverer<D>,
  logger: Logger,
): Delivery {
  const queue = createQueue(kind.model, newId('req'));
  const attempt = createAttempt(kind, deliverer, queue, logger);
  const inFlight = new Map<string, { orgId: string; ended: Promise<void> }>();

  function saturated(): Set<string> {
    const counts = new Map<string, number>();
    for (const { orgId } of inFlight.values()) counts.set(orgId, (counts.get(orgId) ?? 0) + 1);
    const isFull = ([, count]: [string, number]) => count >= kind.placesOfOrganization;
    return new Set([...counts].filter(isFull).map(([orgId]) => orgId));
  }

  async function fill(): Promise<void> {
    while (inFlight.size < kind.places) {
      const claim = await queue.claimNext(saturated());
      if (!claim) return;
      const ended = attempt(claim).finally(() => {
        inFlight.delete(claim._id);
        kind.wake.wake();
      });
      inFlight.set(claim._id, { orgId: claim.orgId, ended });
    }
  }

  async function promote(): Promise<void> {
    while ((await queue.promote([...inFlight.keys()])) > 0) kind.wake.wake();
  }

  async function settled(): Promise<void> {
    await Promise.all([...inFlight.values()].map(({ ended }) => ended));
  }

  async function run(signal: AbortSignal): Promise<void> {
    let promoting: Promise<void> | null = null;
    let promotedAt = Number.NEGATIVE_INFINITY;
    const warn = (error: unknown) => logger.warn(`${kind.thing} waits: the queue could not be read`, { error });
    while (!signal.aborted) {
      const before = kind.wake.calls();
      if (!promoting && performance.now() - promotedAt >= pollMilliseconds) {
        promotedAt = performance.now();
        promoting = promote()
          .catch(warn)
          .finally(() => {
            promoting = null;
          });
      }
      await fill().catch(warn);
      await kind.wake.calledOrAfter(before, pollMilliseconds, signal);
    }
    await promoting;
    await settled();
  }

  return { promote, fill, settled, run };
}

/** One attempt, which never throws: an outcome that could not be stored is found at the end of the lease. */
function createAttempt<D extends DeliveryFields>(
  kind: DeliveryKind<D>,
  deliverer: Deliverer<D>,
  queue: Queue<D>,
  logger: Logger,
): (claim: Claim<D>) => Promise<void> {
  const breaker = createBreaker();
  const postponeOrBury = createFailureHandling(kind, deliverer, queue, logger);

  async function attemptOn(claim: Claim<D>): Promise<void> {
    const connection = await deliverer.connectionOf(claim);
    const pause = breaker.pauseOf(connection);
    if (pause > 0) {
      // It waits like others of its connection; the attempt does not count.
      const nextAttemptAt = fromNow(pause * (1 + Math.random()));
      return void (await note(queue, claim, { status: 'waiting', attempts: claim.attempts - 1, nextAttemptAt }));
    }
    try {
      const done = await deliverer.deliver(claim);
      breaker.succeeded(connection);
      kind.metrics.sent.inc();
      await note(queue, claim, { status: 'sent', lastError: null, lastFailure: null, ...done });
    } catch (error) {
      const wasReached = error instanceof DeliveryError && !unreached.has(error.failure);
      if (wasReached) breaker.succeeded(connection);
      else breaker.failed(connection);
      await postponeOrBury(claim, error);
    }
  }

  return async (claim) => {
    const renewal = setInterval(() => {
      // After a failed renewal the next one may succeed.
      queue.renew(claim).catch((error) => logger.debug('A lease was not renewed', error));
    }, lease / 3).unref();
    try {
      await attemptOn(claim);
      deliverer.stored?.(claim);
    } catch (error) {
      logger.warn('The outcome of a delivery could not be stored', { id: claim._id, error });
    } finally {
      clearInterval(renewal);
    }
  };
}

/** The failures after which the breaker does not know whether the far end works. */
const unreached: ReadonlySet<Failure> = new Set<Failure>(['unreachable', 'unknown']);

function createFailureHandling<D extends DeliveryFields>(
  { thing, metrics, patience }: DeliveryKind<D>,
  { deadFields, died }: Deliverer<D>,
  queue: Queue<D>,
  logger: Logger,
): (claim: Claim<D>, error: unknown) => Promise<void> {
  return async (claim, error) => {
    const { _id: id, orgId } = claim;
    const known = error instanceof DeliveryError ? error : null;
    if (!known) logger.error(`${thing} could not be handed over`, { id, error });
    const failure: Failure = known?.failure ?? 'unreachable';
    const problem = {
      lastFailure: failure,
      lastError: known?.message ?? 'It could not be prepared; see the log.',
    };
    const timing = { at: now(), retryAfter: known?.retryAfter, ...(patience && { patience }) };
    const nextAttemptAt = nextAttempt(failure, claim, timing);
    if (nextAttemptAt) {
      metrics.retried.inc({ failure });
      return void (await note(queue, claim, { status: 'waiting', nextAttemptAt, ...problem }));
    }
    metrics.failed.inc({ failure });
    logger.warn(`${thing} was given up`, { id, orgId, lastError: problem.lastError });
    const dead = { status: 'failed', ...problem, ...deadFields?.(claim, failure) };
    if (await note(queue, claim, dead)) await died?.(claim, failure);
  };
}

/** Retries while the database is briefly unavailable: what was sent without a stored outcome would be sent again. */
async function note<D extends DeliveryFields>(
  queue: Queue<D>,
  claim: Claim<D>,
  outcome: Partial<DeliveryFields>,
): Promise<boolean> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await queue.settle(claim, outcome);
    } catch (error) {
      if (attempts === noteAttempts || !isDatabaseUnreachable(error)) throw error;
      await wait(notePauseMilliseconds);
    }
  }
}
