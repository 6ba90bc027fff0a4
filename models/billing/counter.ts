import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** Units reserved for work whose outcome is not known yet. */
export type Reservation = {
  /** Identifies the work to its owner. */
  key: string;
  /** Unique for each reservation, also among reservations of the same key. */
  nonce: string;
  amount: number;
  /** The number of prefetched units, a block of the process. The unused ones are soon released. */
  ahead?: number;
  /** When the lease expires and billing calls the owner's `quota.settle`. */
  until: Date;
  /** The service whose `<owner>.quota.settle` reports how much of the work was done. */
  owner: string;
  /** Whether the key is remembered after the work is done. */
  remembered: boolean;
  /**
   * Whether the key was requested again while it was held: on a refund, another request may still be doing the work.
   */
  shared?: boolean;
};

/** The charge of an expired reservation, kept for a while in case of a late commit or refund. */
export type Overdue = { nonce: string; charged: number; until: Date };

/**
 * The units that an organization has used of a meter in one period, or of a gauge. Each change is one atomic update of
 * this document: `used` includes charged and reserved units, `open` has the reserved ones.
 */
export type CounterDocument = {
  /** `<orgId>:<meter>:<the period's start, or gauge>`. */
  _id: string;
  orgId: string;
  meter: string;
  /** Null for a gauge, which has no periods. */
  periodStart: Date | null;
  periodEnd: Date | null;
  used: number;
  /** The limit at the last reservation; null or missing before the first one, and in documents of older versions. */
  limit?: number | null;
  /**
   * By the slots of their keys: a field path can address each one, which all implementations of the protocol support.
   */
  open: Record<string, Reservation>;
  /** The number of open reservations. */
  held: number;
  /** By their nonces. */
  overdue: Record<string, Overdue>;
  /** A lower bound of the `until` of all in `open` and `overdue`; absent when both are empty. */
  dueAt?: Date;
  /** Grows with every change, for optimistic concurrency control. */
  revision: number;
  /** The percentages of the limit for which a warning was sent. */
  warned: number[];
};

const schema = new Schema<CounterDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    meter: { type: String, required: true },
    periodStart: Date,
    periodEnd: Date,
    used: { type: Number, required: true },
    limit: { type: Number, default: null },
    open: { type: Schema.Types.Mixed, default: {} },
    held: { type: Number, default: 0 },
    overdue: { type: Schema.Types.Mixed, default: {} },
    dueAt: Date,
    revision: { type: Number, default: 0 },
    warned: { type: [Number], default: [] },
  },
  { collection: 'billing_counters', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, meter: 1, periodStart: 1 });
// Finds ended periods, across all tenants.
schema.index({ periodEnd: 1 });
// For the sweep. A take rarely changes `dueAt`, so the index costs it almost nothing.
schema.index({ dueAt: 1 });

export const CounterModel = model('BillingCounter', schema);
