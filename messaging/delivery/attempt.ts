import type { Logger } from 'moleculer';
import { type CircuitBreaker, createCircuitBreaker } from '../../lib/concurrency/circuit-breaker.ts';
import { fromNow, now } from '../../lib/data/clock.ts';
import {
  circuitOptions,
  DeliveryError,
  type DeliveryHandler,
  type DeliveryKind,
  type Failure,
  nextAttempt,
  type Send,
} from './deliverer.ts';
import type { DeliveryFields } from './documents.ts';
import type { Claim } from './queue.ts';

/** The fields to store after an attempt. `died`: the document becomes a dead letter, with this failure. */
export type AttemptOutcome = { fields: Partial<DeliveryFields>; died?: Failure };

/** The function that sends a prepared delivery, or the outcome of an attempt that ended during preparation. */
type Prepared = { send: () => Promise<AttemptOutcome> } | { outcome: AttemptOutcome };

/** The two halves of an attempt to deliver, which never throw. */
type Attempt<D extends DeliveryFields> = (claim: Claim<D>) => Promise<Prepared>;

/**
 * Attempts deliveries under circuit breakers. A delivery that never reached the far end counts against the whole
 * connection. A failure that a document may have caused, such as a connection that ends while sending, counts only
 * against the connection for the document's organization.
 */
export function createAttempt<D extends DeliveryFields>(
  kind: DeliveryKind<D>,
  deliverer: DeliveryHandler<D>,
  logger: Logger,
): Attempt<D> {
  const breaker = createCircuitBreaker(circuitOptions);
  const { connection } = deliverer;
  const pauseOf = ({ orgId }: Claim<D>) =>
    Math.max(0, ...circuitsOf(connection, orgId).map(({ name }) => breaker.pauseOf(name)));
  const failed = (claim: Claim<D>, error: unknown) => postponedOrDead(kind, deliverer, logger, claim, error);

  async function send(claim: Claim<D>, sending: Send<D>): Promise<AttemptOutcome> {
    const pause = pauseOf(claim);
    if (pause > 0) return paused(claim, pause);
    const circuits = circuitsOf(connection, claim.orgId);
    for (const { name } of circuits) breaker.begin(name);
    try {
      const done = await sending();
      for (const { name } of circuits) breaker.succeeded(name);
      kind.metrics.sent.inc();
      return { fields: { status: 'sent', lastError: null, lastFailure: null, ...done } };
    } catch (error) {
      settleCircuits(breaker, circuits, error);
      return failed(claim, error);
    }
  }

  return async (claim) => {
    const pause = pauseOf(claim);
    if (pause > 0) return { outcome: paused(claim, pause) };
    try {
      const sending = await deliverer.prepare(claim);
      return { send: () => send(claim, sending) };
    } catch (error) {
      return { outcome: failed(claim, error) };
    }
  };
}

/** Postpones the delivery until the circuit closes; the attempt does not count. */
function paused({ attempts }: Claim<DeliveryFields>, pause: number): AttemptOutcome {
  return { fields: { status: 'waiting', attempts: attempts - 1, nextAttemptAt: fromNow(pause * (1 + Math.random())) } };
}

/** `opensOn`: the failure that counts towards opening the circuit. */
type Circuit = { name: string; opensOn: Failure };

/** The circuits of a delivery: one per connection, and one per connection and organization. */
function circuitsOf(connection: string | undefined, orgId: string): Circuit[] {
  if (connection === undefined) return [];
  return [
    { name: connection, opensOn: 'unreachable' },
    { name: `${connection} ${orgId}`, opensOn: 'unknown' },
  ];
}

function settleCircuits(breaker: CircuitBreaker, circuits: Circuit[], error: unknown): void {
  const failure = error instanceof DeliveryError ? error.failure : null;
  const isReached = failure !== null && failure !== 'unreachable' && failure !== 'unknown';
  for (const { name, opensOn } of circuits) {
    if (isReached) breaker.succeeded(name);
    else if (failure === opensOn) breaker.failed(name);
    else breaker.ended(name);
  }
}

function postponedOrDead<D extends DeliveryFields>(
  { label: thing, metrics, patience }: DeliveryKind<D>,
  { deadLetterFields: deadFields }: DeliveryHandler<D>,
  logger: Logger,
  claim: Claim<D>,
  error: unknown,
): AttemptOutcome {
  const { _id: id, orgId } = claim;
  const deliveryError = error instanceof DeliveryError ? error : null;
  if (!deliveryError) logger.error(`${thing} could not be sent`, { id, error });
  const failure: Failure = deliveryError?.failure ?? 'unreachable';
  const problem = { lastFailure: failure, lastError: deliveryError?.message ?? 'Could not be prepared; see the log.' };
  const timing = { at: now(), retryAfter: deliveryError?.retryAfter, ...(patience && { patience }) };
  const nextAttemptAt = nextAttempt(failure, claim, timing);
  if (nextAttemptAt) {
    metrics.retried.inc({ failure });
    return { fields: { status: 'waiting', nextAttemptAt, ...problem } };
  }
  metrics.failed.inc({ failure });
  logger.warn(`${thing} is a dead letter`, { id, orgId, lastError: problem.lastError });
  return {
    fields: { status: 'failed', ...problem, ...deadFields?.(claim, failure, problem.lastError) },
    died: failure,
  };
}
