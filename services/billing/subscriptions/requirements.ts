import { apiError } from '../../../lib/errors.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';

/** Throws PLAN_IS_FREE without a subscription to cancel or to resume. */
export function requirePaid({ plan }: Subscription): void {
  if (plan === 'free') throw apiError('PLAN_IS_FREE');
}
