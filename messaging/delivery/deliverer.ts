import type { Model } from 'mongoose';
import type { DeliveryFields } from './documents.ts';
import type { Failure } from './failures.ts';
import type { DeliveryMetrics } from './metrics.ts';
import type { PlaceLimits } from './places.ts';
import type { Claim } from './queue.ts';
import type { Signal } from './wake.ts';

/** The deliveries of a service, as it declares them. */
export type DeliveryKind<D extends DeliveryFields> = {
  /** `Mail`, for the log. */
  label: string;
  model: Model<D>;
  wake: Signal;
  metrics: DeliveryMetrics;
  /** The maximum being prepared on a node, including prepared deliveries that wait to be sent. */
  preparing: PlaceLimits;
  /** The maximum being sent on a node. */
  sending: PlaceLimits;
  /** How long deliveries are retried, in milliseconds; a day by default. */
  patience?: number;
};

/** Sends; resolves with the fields to store, whose `status` is `sent` by default. Throws a DeliveryError. */
export type Send<D> = () => Promise<Partial<D>>;

/** The delivery functions of a node. */
export type DeliveryHandler<D extends DeliveryFields> = {
  /**
   * Prepares a delivery and resolves with the function that sends it. A failure concerns only the document: it does not
   * count against the connection. Throws a DeliveryError, as sending does.
   */
  prepare: (claim: Claim<D>) => Promise<Send<D>>;
  /** The connection that all deliveries use, for the circuit breaker; no breaker if absent. */
  connection?: string;
  /** The fields to store with a dead letter. `reason` is its last error. */
  deadLetterFields?: (claim: Claim<D>, failure: Failure, reason: string) => Partial<D>;
  /** Called once after a dead letter was stored. It is not retried, so the callee must repair its own failures. */
  onDeadLetter?: (claim: Claim<D>, failure: Failure) => Promise<void>;
  /** Called after the outcome of an attempt was stored. */
  stored?: (claim: Claim<D>) => void;
};
