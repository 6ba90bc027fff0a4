import Stripe from 'stripe';
import { second } from '../../../../lib/clock.ts';

/**
 * The idempotency key of a call. For a day at least Stripe answers the same parts as it did, without doing anything, and
 * refuses them with other parameters: what is asked for again late does not undo what was asked for in between.
 */
export function once(...parts: string[]): Stripe.RequestOptions {
  return { idempotencyKey: parts.join(':') };
}

/** What is asked for, or null where Stripe does not know it. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.code === 'resource_missing') return null;
    throw error;
  }
}

const { StripeConnectionError, StripeAPIError, StripeAuthenticationError, StripeRateLimitError } = Stripe.errors;

/** Stripe does not answer, is broken, or does not take the key that the platform has. */
export function isOutage(error: unknown): boolean {
  const kinds = [StripeConnectionError, StripeAPIError, StripeAuthenticationError, StripeRateLimitError];
  return kinds.some((kind) => error instanceof kind);
}

/** The id of what Stripe names, whether or not it was asked to show all of it. */
export function idOf(named: string | { id: string }): string {
  return typeof named === 'string' ? named : named.id;
}

/** An instant in Stripe's seconds, and back. */
export const toInstant = (seconds: number): Date => new Date(seconds * second);
export const toSeconds = (instant: Date): number => Math.floor(instant.getTime() / second);
