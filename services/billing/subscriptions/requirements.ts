import { fail } from '../../../lib/errors.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';

/** Throws PLAN_IS_FREE where there is nothing that could end, or go on. */
export function requirePaid({ plan }: Subscription): void {
  if (plan === 'free') throw fail('PLAN_IS_FREE');
}
