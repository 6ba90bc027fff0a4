import { addMonths } from '../../../lib/clock.ts';
import type { BillingCycle } from '../../../models/billing/sold-version.ts';
import type { Period } from '../../../models/billing/subscription.ts';

const monthsOf: Record<BillingCycle, number> = { monthly: 1, yearly: 12 };

/**
 * The end of a period that begins at `start`: the same time of day one cycle later, on the anchor day of the month or,
 * in a shorter month, on its last day. In UTC; from 31 January on it is 28 or 29 February, then 31 March.
 */
export function endOf(start: Date, cycle: BillingCycle, anchorDay: number): Date {
  return addMonths(start, monthsOf[cycle], anchorDay);
}

/** The calendar month in UTC that an instant lies in. */
export function monthOf(at: Date): Period {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
}
