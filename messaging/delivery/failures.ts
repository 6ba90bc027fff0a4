import { day, hour, minute, second } from '../../lib/clock.ts';

/**
 * Why a delivery did not succeed. `refused`: permanently, about this recipient or message. `bounced`: permanently,
 * because the recipient's address takes no messages. `deferred`: the far end asks for a retry later. `rateLimited`: it
 * takes no more for now. `unreachable`: it failed before anything was accepted. `unknown`: it failed after everything
 * was sent, so that it may have been accepted. `faulty`: it cannot be prepared or the credentials are wrong, which a
 * retry does not repair.
 */
export const failures = ['refused', 'bounced', 'deferred', 'rateLimited', 'unreachable', 'unknown', 'faulty'] as const;
export type Failure = (typeof failures)[number];

type Details = { cause?: unknown; retryAfter?: number | undefined };

/** A failed delivery. The message is short, and holds nothing of the content and no credential. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  readonly failure: Failure;
  /** The milliseconds that the far end asks to wait. */
  readonly retryAfter: number | undefined;

  constructor(failure: Failure, message: string, { cause, retryAfter }: Details = {}) {
    super(message, { cause });
    this.failure = failure;
    this.retryAfter = retryAfter;
  }
}

/** The ceiling of the first delay by kind of failure; it doubles with each attempt. Null: there is no retry. */
const firstDelay: Record<Failure, number | null> = {
  refused: null,
  bounced: null,
  faulty: null,
  // A server that defers, such as one that greylists, means minutes (RFC 5321 section 4.5.4.1).
  deferred: 2 * minute,
  rateLimited: 10 * second,
  unreachable: 4 * second,
  // Another attempt may deliver it twice.
  unknown: 30 * second,
};

/** At least so long, so that a far end is not asked again at once; the least for one that defers. */
const minDelay: Partial<Record<Failure, number>> = { deferred: minute / 2, rateLimited: second, unknown: 5 * second };
const maxDelay = hour;

/** How long after the first attempt a delivery is given up. */
export const defaultPatience = day;

type Failed = { attempts: number; startedAt: Date };
type Timing = { at: Date; retryAfter?: number | undefined; patience?: number; chance?: () => number };

/**
 * When to try again; null to give up. Exponential backoff up to an hour with full jitter: any time up to the ceiling, so
 * that deliveries that failed together spread out. A Retry-After is obeyed, and spread by a tenth.
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
 * Whether a delivery that died of this was the platform's fault or that of the way, not the recipient's: what was
 * charged for it is given back.
 */
export function isOurFault(failure: Failure): boolean {
  return failure !== 'refused' && failure !== 'bounced' && failure !== 'deferred';
}
