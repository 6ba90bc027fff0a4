import { day, hour, minute, second } from '../../lib/clock.ts';
import type { DeliveryFailure } from './transports/transport.ts';

const firstDelay: Record<Exclude<DeliveryFailure, 'refused'>, number> = {
  // A server that defers, such as one that greylists, means minutes (RFC 5321 section 4.5.4.1).
  deferred: minute,
  unreachable: 2 * second,
};
const maxDelay = hour;
const patience = day;

type Failed = { attempts: number; createdAt: Date };

/**
 * The next attempt after a failure; null to give up: at once when refused, else a day after the mail was written.
 * Exponential backoff up to an hour, with jitter of up to half, so that mails spread out.
 */
export function nextAttempt(
  failure: DeliveryFailure,
  { attempts, createdAt }: Failed,
  at: Date,
  chance: () => number = Math.random,
): Date | null {
  const lastAttemptAt = createdAt.getTime() + patience;
  if (failure === 'refused' || at.getTime() >= lastAttemptAt) return null;
  const longest = Math.min(firstDelay[failure] * 2 ** (attempts - 1), maxDelay);
  const delay = longest * (0.5 + chance() / 2);
  return new Date(Math.min(Math.round(at.getTime() + delay), lastAttemptAt));
}
