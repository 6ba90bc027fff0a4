import type { KeyedMutex } from '../../../lib/one-at-a-time.ts';
import type { Reservation } from '../../../models/billing/counter.ts';
import type { DeferredRemoval } from './clearing.ts';
import type { CounterName } from './meters.ts';
import type { Records } from './records.ts';
import type { Reserved, ReserveRequest } from './reserving.ts';
import type { Settlement } from './settling.ts';
import { type Receipt, receiptOf, type Store } from './store.ts';

/** A request for units; `isPartly`: fewer are granted when fewer remain. */
export type QuotaRequest = {
  counter: CounterName;
  amount: number;
  /** Prefetched units on top of the amount, or as many as may be prefetched. */
  ahead: number;
  key: string;
  owner: string;
  isPartly: boolean;
  remembered: boolean;
  /** Whether the caller needs the counter's value after the take. */
  wantsUsed: boolean;
};

export type Outcome = 'taken' | 'exceeded' | 'notIncluded' | 'paymentRequired';

/**
 * `isFresh`: reserved by this very take, not by an earlier one of the same key. `used` is null unless it was requested.
 */
export type Grant = {
  outcome: Outcome;
  used: number | null;
  limit: number | null;
  receipt: Receipt | null;
  isFresh: boolean;
};

/** A request with its reservation. */
export type LimitRequest = QuotaRequest & { reservation: Reservation };

/** The limit in units, and the refusal when it is exceeded. */
export type LimitCheck = { limit: number; refusal: Exclude<Outcome, 'taken'> };

/** The dependencies of a take. */
export type ReserveDependencies = {
  store: Store;
  runExclusive: KeyedMutex;
  reserve: (request: ReserveRequest) => Promise<Reserved | null>;
  clearing: DeferredRemoval;
  records: Records;
  settle: (settlement: Settlement) => Promise<void>;
  awaitReturns: (open: Reservation[]) => Promise<boolean>;
};

/** The maximum share of the units left that may be prefetched. */
export const maxPrefetchShare = 1 / 16;

/** The grant of a take that got its reservation. */
export function granted({ counter, reservation }: LimitRequest, used: number | null, limit: number): Grant {
  const receipt = receiptOf(counter, reservation);
  return { outcome: 'taken', used, limit: limit < 0 ? null : limit, receipt, isFresh: true };
}
