import type { Model } from 'mongoose';
import { day, hour, minute, second } from '../../lib/data/clock.ts';
import type { DeliveryFields } from './documents.ts';
import type { DeliveryMetrics } from './metrics.ts';
import type { PlaceLimits } from './places.ts';
import type { Claim } from './queue.ts';

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

/** The circuit breakers of the connections of deliveries. */
export const circuitOptions = { threshold: 5, firstPause: 2 * second, maxPause: minute };

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

/**
 * Why a delivery failed. `refused`: permanent, specific to this recipient or message. `bounced`: permanent, the
 * recipient's address accepts no messages. `deferred`: the far end asks for a retry later. `rateLimited`: the far end
 * limits the rate. `unreachable`: it failed before anything was accepted. `unknown`: it failed after everything was
 * sent, so it may have been accepted. `faulty`: it cannot be prepared, or the credentials are wrong; a retry does not
 * help.
 */
export const failures = ['refused', 'bounced', 'deferred', 'rateLimited', 'unreachable', 'unknown', 'faulty'] as const;
export type Failure = (typeof failures)[number];

type Details = { cause?: unknown; retryAfter?: number | undefined };

/** A failed delivery. The message is short and contains no content and no credential. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  readonly failure: Failure;
  /** The retry delay that the far end requested, in milliseconds. */
  readonly retryAfter: number | undefined;

  constructor(failure: Failure, message: string, { cause, retryAfter }: Details = {}) {
    super(message, { cause });
    this.failure = failure;
    this.retryAfter = retryAfter;
  }
}

/** The upper bound of the first delay by kind of failure; it doubles with each attempt. Null: not retried. */
const firstDelay: Record<Failure, number | null> = {
  refused: null,
  bounced: null,
  faulty: null,
  // A deferral, such as greylisting, lasts minutes (RFC 5321 section 4.5.4.1).
  deferred: 2 * minute,
  rateLimited: 10 * second,
  unreachable: 4 * second,
  // Another attempt may deliver the message twice.
  unknown: 30 * second,
};

/** The lower bound of the delay, so that a far end is not called again immediately. */
const minDelay: Partial<Record<Failure, number>> = { deferred: minute / 2, rateLimited: second, unknown: 5 * second };
const maxDelay = hour;

/** The retry period after the first attempt, after which a delivery becomes a dead letter. */
export const defaultPatience = day;

type Failed = { attempts: number; startedAt: Date };
type Timing = { at: Date; retryAfter?: number | undefined; patience?: number; chance?: () => number };

/**
 * Returns the time of the next attempt, or null for a dead letter. Exponential backoff up to an hour with full jitter,
 * so that deliveries that failed together spread out. A Retry-After is honoured, with up to a tenth added.
 */
export function nextAttempt(
  failure: Failure,
  { attempts, startedAt }: Failed,
  { at, retryAfter, patience = defaultPatience, chance = Math.random }: Timing,
): Date | null {
  const first = firstDelay[failure];
  const lastAttemptAt = startedAt.getTime() + patience;
  if (first === null || at.getTime() >= lastAttemptAt) return null;
  const ceiling = Math.min(first * 2 ** Math.max(0, attempts - 1), maxDelay);
  const backoff = Math.max(minDelay[failure] ?? second / 4, ceiling * chance());
  const delay = Math.max(backoff, (retryAfter ?? 0) * (1 + chance() / 10));
  return new Date(Math.min(Math.round(at.getTime() + delay), lastAttemptAt));
}

/**
 * Whether the platform or the network caused the failure, rather than the recipient, so that the charge is refunded.
 */
export function isOurFault(failure: Failure): boolean {
  return failure !== 'refused' && failure !== 'bounced' && failure !== 'deferred';
}

/** Wakes the deliveries of one service in this process. Other processes find work by polling. */
export type Signal = {
  /** Call it for a new document, or when a place becomes free. */
  wake: () => void;
  /** The number of calls. Read it before polling, so that a call during the poll is not missed. */
  calls: () => number;
  /** Resolves when it was called since `since`, after the timeout in milliseconds, or when the signal aborts. */
  waitOrTimeout: (since: number, milliseconds: number, signal: AbortSignal) => Promise<void>;
};

export function createWake(): Signal {
  const waiting = new Set<() => void>();
  let calls = 0;
  return {
    wake() {
      calls += 1;
      for (const resume of waiting) resume();
    },
    calls: () => calls,
    async waitOrTimeout(since, milliseconds, signal) {
      if (calls !== since || signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const resume = () => resolve();
      const timer = setTimeout(resume, milliseconds);
      signal.addEventListener('abort', resume);
      waiting.add(resume);
      await promise;
      clearTimeout(timer);
      signal.removeEventListener('abort', resume);
      waiting.delete(resume);
    },
  };
}
