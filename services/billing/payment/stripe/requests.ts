import Stripe from 'stripe';
import { second } from '../../../../lib/data/clock.ts';

/**
 * The idempotency key of a call. For at least a day Stripe answers the same key as before without acting again, and
 * refuses it with other parameters. So a late retry does not undo a later call.
 */
export function once(...parts: string[]): Stripe.RequestOptions {
  return { idempotencyKey: parts.join(':') };
}

/** The answer, or null where Stripe does not know the object. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.code === 'resource_missing') return null;
    throw error;
  }
}

const { StripeConnectionError, StripeAPIError, StripeAuthenticationError, StripeRateLimitError } = Stripe.errors;

/** Stripe does not answer, fails, or refuses the platform's key. */
export function isOutage(error: unknown): boolean {
  const kinds = [StripeConnectionError, StripeAPIError, StripeAuthenticationError, StripeRateLimitError];
  return kinds.some((kind) => error instanceof kind);
}

/** The id of an object that Stripe returns by its id or expanded. */
export function idOf(named: string | { id: string }): string {
  return typeof named === 'string' ? named : named.id;
}

/** An instant in Stripe's seconds, and back. */
export const toInstant = (seconds: number): Date => new Date(seconds * second);
export const toSeconds = (instant: Date): number => Math.floor(instant.getTime() / second);
