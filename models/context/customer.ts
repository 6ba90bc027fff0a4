import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';
import type { Language } from '../../lib/format/language.ts';

/** An earlier fold of a customer, a checkpoint from which a late event is replayed. */
export type StoredCheckpoint = { at: string; tiebreaker: number; eventId: string; count: number; fold: string };

/**
 * The fold of an older version of the projector. Nodes of that version continue it while the pool is upgraded, and
 * after a rollback.
 */
export type PreviousFold = {
  composerVersion: number;
  foldState: string | null;
  checkpoints: StoredCheckpoint[];
  /** Since when it lacks events of the customer; null when it includes all. */
  behindSince: Date | null;
  /** Grows with every change of this fold. */
  revision: number;
};

/**
 * A customer in the list of customers: facts of the last complete fold, from which they are found and sorted without
 * reading folds.
 */
export type CustomerListing = {
  /** The id of the story. */
  customerId: string;
  name: string | null;
  /** The name in the form in which searches compare it; absent without a name. */
  nameKey?: string;
  firstEventAt: Date;
  lastEventAt: Date;
  /** The number of events. */
  events: number;
  /** The story in one line, by language. Absent in listings of earlier versions. */
  titles?: Partial<Record<Language, string>>;
  open: { orders: number; payments: number; subscriptions: number; tickets: number };
};

/** A customer and their story. `_id` is internal; clients use the id from their events (`customerId` of the story). */
export type CustomerDocument = {
  _id: string;
  orgId: string;
  /** The older customer into which this one was merged; its identifiers and events move there. */
  mergedInto: string | null;
  /** Grows with every change, so that a story composed from old state cannot overwrite a later one. */
  revision: number;
  /** The customer is being erased. The sweep completes the erasure after a crash. */
  erasing: boolean;
  /** The text that earlier versions stored. The next write removes it. */
  story?: unknown;
  /**
   * The fold of the first events as JSON. The story is rendered from it, and the next event continues it if it comes
   * after the last folded one. Null when the fold must start from the first event.
   */
  foldState: string | null;
  /** Absent in customers of earlier versions. */
  checkpoints?: StoredCheckpoint[];
  /** The version of the projector that created the fold: the newest of the pool. 0 before the first event. */
  composerVersion: number;
  previousFold?: PreviousFold;
  /**
   * When the fold is to be continued, because it lacks events of the customer; the story is not current then. Null or
   * absent when it includes all.
   */
  composeAt?: Date | null;
  /** Absent before the first complete fold, and in customers who were merged. A fold that is behind keeps it. */
  listing?: CustomerListing;
};

export const lastEventOrder = 'last_event_order';

const schema = new Schema<CustomerDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    mergedInto: { type: String, default: null },
    revision: { type: Number, default: 0 },
    erasing: { type: Boolean, default: false },
    story: Schema.Types.Mixed,
    foldState: { type: String, default: null },
    checkpoints: [{ _id: false, at: String, tiebreaker: Number, eventId: String, count: Number, fold: String }],
    composerVersion: { type: Number, default: 0 },
    previousFold: Schema.Types.Mixed,
    composeAt: { type: Date, default: null },
    listing: Schema.Types.Mixed,
  },
  { collection: 'context_customers', versionKey: false },
);
schema.plugin(tenantGuard);
// Finds the customers who were merged into another, and lists the others by their last event.
schema.index({ orgId: 1, mergedInto: 1, 'listing.lastEventAt': 1, _id: 1 }, { name: lastEventOrder });
// Finds customers by the beginning of their name.
schema.index(
  { orgId: 1, 'listing.nameKey': 1, _id: 1 },
  { name: 'name_order', partialFilterExpression: { 'listing.nameKey': { $exists: true } } },
);
schema.index({ erasing: 1 });
// Finds stories that are not current, across all tenants.
schema.index({ composeAt: 1 });

export const CustomerModel = model('ContextCustomer', schema);
