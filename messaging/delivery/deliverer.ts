import type { Model } from 'mongoose';
import type { DeliveryFields } from './documents.ts';
import type { Failure } from './failures.ts';
import type { DeliveryMetrics } from './metrics.ts';
import type { Claim } from './queue.ts';
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
