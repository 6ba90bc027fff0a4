import { bounds } from './bounds.ts';
import { daysBetween, isAfter } from './dates.ts';

/** A time without being a customer, between leaving (or the last purchase) and coming back. */
type Gap = {
  kind: 'left' | 'silent';
  from: string;
  to: string;
  /** The order that ended it, `''` for a subscription: its cancellation undoes the return. */
  orderId: string;
};

/** Since when a person is a customer is in the other facts; this is how often and when they were not. */
export type Tenure = {
  lastPurchaseAt: string | null;
  gaps: Gap[];
  /** How many gaps there were before those. */
  earlierGaps: number;
};

/** A buyer without a purchase for this many days was gone. */
const silentDays = 365;

/** A subscription that begins sooner after the last is a move, not a return. */
const minDaysAway = 2;

export function emptyTenure(): Tenure {
  return { lastPurchaseAt: null, gaps: [], earlierGaps: 0 };
}

/** An order: a return after a year without a purchase. A live subscription is a purchase every day. */
export function notePurchase(tenure: Tenure, orderId: string, at: string, subscribedUntil: string | null): Tenure {
  const after = { ...tenure, lastPurchaseAt: at };
  const last = latestOf(tenure.lastPurchaseAt, subscribedUntil);
  if (!last || daysBetween(last, at) < silentDays) return after;
  return withGap(after, { kind: 'silent', from: last, to: at, orderId });
}

/** A paid subscription begins or is resumed: a return when the ones before were over, and nothing was bought since. */
export function noteSubscription(tenure: Tenure, at: string, subscribedUntil: string | null): Tenure {
  const last = latestOf(tenure.lastPurchaseAt, subscribedUntil);
  if (!last) return tenure;
  const isStillBuyer = tenure.lastPurchaseAt !== null && daysBetween(tenure.lastPurchaseAt, at) < silentDays;
  if (isStillBuyer || daysBetween(last, at) < (subscribedUntil ? minDaysAway : silentDays)) return tenure;
  const kind = last === subscribedUntil ? 'left' : 'silent';
  return withGap(tenure, { kind, from: last, to: at, orderId: '' });
}

/** Undoes the return that a cancelled order was counted as. */
export function forgetPurchase(tenure: Tenure, orderId: string): Tenure {
  const last = tenure.gaps.at(-1);
  if (!last || orderId === '' || last.orderId !== orderId) return tenure;
  return { ...tenure, lastPurchaseAt: last.from, gaps: tenure.gaps.slice(0, -1) };
}

function withGap(tenure: Tenure, gap: Gap): Tenure {
  const gaps = [...tenure.gaps, gap];
  const dropped = Math.max(gaps.length - bounds.gaps, 0);
  return { ...tenure, gaps: gaps.slice(dropped), earlierGaps: tenure.earlierGaps + dropped };
}

function latestOf(left: string | null, right: string | null): string | null {
  if (!left || !right) return left ?? right;
  return isAfter(right, left) ? right : left;
}
