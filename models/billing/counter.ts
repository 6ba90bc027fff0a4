import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/** Units that were taken for work whose end is not known yet. */
export type Reservation = {
  /** Names the work to its owner. */
  key: string;
  /** Tells one reservation from any other, also from a later one of the same key. */
  nonce: string;
  amount: number;
  /** So many of them were taken ahead: nobody may have wanted them yet, and what nobody wants comes back at once. */
  ahead?: number;
  /** When it has expired, and its owner is asked. */
  until: Date;
  /** The service whose `<owner>.quota.settle` knows what became of the work. */
  owner: string;
  /** Whether the key is to be remembered when the work is done. */
  remembered: boolean;
  /** It was asked for again while it was held: somebody else may still be at the work when one gives it back. */
  shared?: boolean;
};

/** What an expired reservation was charged, kept for a while in case its work ends after all. */
export type Overdue = { nonce: string; charged: number; until: Date };

/**
 * What an organization has used of a meter in one period, or of a gauge. Everything about a unit changes in one atomic
 * update of this document: `used` holds what was charged and what is reserved, `open` says what of it is reserved.
 */
export type CounterDocument = {
  /** `<orgId>:<meter>:<the period's start, or gauge>`. */
  _id: string;
  orgId: string;
  meter: string;
  /** Null: a gauge, which no period ends. */
  periodStart: Date | null;
  periodEnd: Date | null;
  used: number;
  /** What there was to use when it was last taken from; null or missing: nothing was, or it was not kept yet. */
  limit?: number | null;
  /** By the slots of their keys: a path names each, which is how all implementations of the protocol change one. */
  open: Record<string, Reservation>;
  /** How many are open. */
  held: number;
  /** By their nonces. */
  overdue: Record<string, Overdue>;
  /** Not after the `until` of anything in `open` and `overdue`; absent: there is nothing. */
  dueAt?: Date;
  /** Grows with every change, so that a recount can tell that nothing happened meanwhile. */
  revision: number;
  /** The percentages of the limit whose crossing was told. */
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
// Periods that have ended, of every tenant.
schema.index({ periodEnd: 1 });
// The sweep. A take rarely moves `dueAt`, so that this costs it nothing.
schema.index({ dueAt: 1 });

export const CounterModel = model('BillingCounter', schema);
