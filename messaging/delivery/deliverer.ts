import type { Model } from 'mongoose';
import type { DeliveryFields } from './documents.ts';
import type { Failure } from './failures.ts';
import type { DeliveryMetrics } from './metrics.ts';
import type { PlaceLimits } from './places.ts';
import type { Claim } from './queue.ts';
import type { Signal } from './wake.ts';

/** What a service says of its deliveries. `O`: the fields that it stores with an outcome. */
export type DeliveryKind<D extends DeliveryFields> = {
  /** `Mail`, for the log. */
  label: string;
  model: Model<D>;
  wake: Signal;
  metrics: DeliveryMetrics;
  /** The maximum being prepared on a node, those that wait to be sent included. */
  preparing: PlaceLimits;
  /** The maximum being sent on a node. */
  sending: PlaceLimits;
  /** How long deliveries are tried; a day by default. */
  patience?: number;
};

/** Sends; resolves with the fields to store, whose `status` is `sent` unless they say otherwise. Throws a DeliveryError. */
export type Send<D> = () => Promise<Partial<D>>;

/** How a node delivers. */
export type DeliveryHandler<D extends DeliveryFields> = {
  /**
   * Prepares a delivery, and resolves with what sends it. Its failures are the document's own: they do not count against
   * the connection. Throws a DeliveryError, as sending does.
   */
  prepare: (claim: Claim<D>) => Promise<Send<D>>;
  /** The connection that all deliveries use, for the circuit breaker; without it there is none. */
  connection?: string;
  /** The fields to store with a dead letter. `reason` is its last error. */
  deadLetterFields?: (claim: Claim<D>, failure: Failure, reason: string) => Partial<D>;
  /** Called after a dead letter was stored; it is repeated by nobody, so a failure is the callee's to repair. */
  onDeadLetter?: (claim: Claim<D>, failure: Failure) => Promise<void>;
  /** Called when the outcome of an attempt was stored. */
  stored?: (claim: Claim<D>) => void;
};
