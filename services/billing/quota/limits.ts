import type { Entitlements } from '../../../models/billing/sold-version.ts';
import type { SubscriptionStatus } from '../../../models/billing/subscription.ts';
import { type Meter, meters } from './meters.ts';
import type { Allowance } from './store.ts';

/** The allowance of a meter in a subscription status. With `expired` nothing is allowed before the payment. */
export function allowanceIn(
  { status, entitlements }: { status: SubscriptionStatus; entitlements: Entitlements },
  meter: Meter,
): Allowance {
  if (status === 'expired') return { outcome: 'paymentRequired' };
  const limit = limitIn(entitlements, meter);
  return limit === null ? { outcome: 'notIncluded' } : { outcome: 'included', limit };
}

/** The limit of a meter, in its own unit; null when its group is not included. */
export function limitIn(entitlements: Entitlements, meter: Meter): number | null {
  const [group, name] = meter.split('.') as [keyof Entitlements, string];
  const limits: Record<string, unknown> = entitlements[group];
  return limits.enabled === true && typeof limits[name] === 'number' ? limits[name] : null;
}

/** A limit in units, rounded down: units are whole. */
export function unitsOf(limit: number, meter: Meter): number {
  return Math.floor(limit * meters[meter].unit);
}
