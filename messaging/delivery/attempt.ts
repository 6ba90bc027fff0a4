import type { Logger } from 'moleculer';
import { fromNow, now } from '../../lib/clock.ts';
import { createBreaker } from './breaker.ts';
import type { Deliverer, DeliveryKind } from './deliverer.ts';
import type { DeliveryFields } from './documents.ts';
import { DeliveryError, type Failure, nextAttempt } from './failures.ts';
import type { Claim } from './queue.ts';

/** What to store of an attempt. `died`: the document is a dead letter, because of this. */
export type AttemptOutcome = { fields: Partial<DeliveryFields>; died?: Failure };

/** The failures after which the breaker does not know whether the far end works. */
const unreached: ReadonlySet<Failure> = new Set<Failure>(['unreachable', 'unknown']);

/** One attempt to deliver, which never throws. */
export function createAttempt<D extends DeliveryFields>(
  kind: DeliveryKind<D>,
  deliverer: Deliverer<D>,
  logger: Logger,
): (claim: Claim<D>) => Promise<AttemptOutcome> {
  const breaker = createBreaker();

  async function attempt(claim: Claim<D>): Promise<AttemptOutcome> {
    const connection = await deliverer.connectionOf(claim);
    const pause = breaker.pauseOf(connection);
    if (pause > 0) {
      // It waits like others of its connection; the attempt does not count.
      const nextAttemptAt = fromNow(pause * (1 + Math.random()));
      return { fields: { status: 'waiting', attempts: claim.attempts - 1, nextAttemptAt } };
    }
    try {
      const done = await deliverer.deliver(claim);
      breaker.succeeded(connection);
      kind.metrics.sent.inc();
      return { fields: { status: 'sent', lastError: null, lastFailure: null, ...done } };
    } catch (error) {
      const wasReached = error instanceof DeliveryError && !unreached.has(error.failure);
      if (wasReached) breaker.succeeded(connection);
      else breaker.failed(connection);
      throw error;
    }
  }

  return (claim) => attempt(claim).catch((error) => postponedOrDead(kind, deliverer, logger, claim, error));
}

function postponedOrDead<D extends DeliveryFields>(
  { thing, metrics, patience }: DeliveryKind<D>,
  { deadFields }: Deliverer<D>,
  logger: Logger,
  claim: Claim<D>,
  error: unknown,
): AttemptOutcome {
  const { _id: id, orgId } = claim;
  const known = error instanceof DeliveryError ? error : null;
  if (!known) logger.error(`${thing} could not be handed over`, { id, error });
  const failure: Failure = known?.failure ?? 'unreachable';
  const problem = { lastFailure: failure, lastError: known?.message ?? 'It could not be prepared; see the log.' };
  const timing = { at: now(), retryAfter: known?.retryAfter, ...(patience && { patience }) };
  const nextAttemptAt = nextAttempt(failure, claim, timing);
  if (nextAttemptAt) {
    metrics.retried.inc({ failure });
    return { fields: { status: 'waiting', nextAttemptAt, ...problem } };
  }
  metrics.failed.inc({ failure });
  logger.warn(`${thing} was given up`, { id, orgId, lastError: problem.lastError });
  return { fields: { status: 'failed', ...problem, ...deadFields?.(claim, failure) }, died: failure };
}
