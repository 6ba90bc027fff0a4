import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/**
 * A customer and their story. `_id` is internal; the id clients know is the one their own events carry
 * (`customerId` of the story).
 */
export type CustomerDocument = {
  _id: string;
  orgId: string;
  /** The older customer into which this one was merged; its identifiers and events move there. */
  mergedInto: string | null;
  /** Grows with every change, so that a story composed from old state cannot overwrite a later one. */
  revision: number;
  /** The stored fold is invalid: the next composition starts from the first event. */
  rebuild: boolean;
  /** The customer is being erased. The sweep completes the erasure after a crash. */
  erasing: boolean;
  story: { customerId: string; title: string; summary: string; updatedAt: string } | null;
  /** The fold's state as JSON, to continue from when the next event comes after the last folded one. */
  foldState: string | null;
  composerVersion: number;
};

const schema = new Schema<CustomerDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    mergedInto: { type: String, default: null },
    revision: { type: Number, default: 0 },
    rebuild: { type: Boolean, default: false },
    erasing: { type: Boolean, default: false },
    story: {
      _id: false,
      type: { customerId: String, title: String, summary: String, updatedAt: String },
      default: null,
    },
    foldState: { type: String, default: null },
    composerVersion: { type: Number, default: 0 },
  },
  { collection: 'context_customers', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, mergedInto: 1 });
schema.index({ erasing: 1 });

export const CustomerModel = model('ContextCustomer', schema);
