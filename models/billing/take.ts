import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/**
 * The record that the work of a key was charged, kept for a while so that a repeated reservation is not charged again.
 */
export type TakeDocument = {
  /**
   * `<orgId>:<meter>:<key>`, without the period, so that a repetition in the next period is found. The ids of an
   * organization form a range.
   */
  _id: string;
  orgId: string;
  /** The counter that was charged. */
  counter: string;
  /** The only reservation that is charged for this key. */
  nonce: string;
  amount: number;
  expiresAt: Date;
};

const schema = new Schema<TakeDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    counter: { type: String, required: true },
    nonce: { type: String, required: true },
    amount: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'billing_takes', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ expiresAt: 1 });

export const TakeModel = model('BillingTake', schema);
