import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/** Remembers for a while that the work of a key was charged, so that a repeated take of it counts no second time. */
export type TakeDocument = {
  /** `<orgId>:<meter>:<key>`: whichever period it is repeated in. What an organization has is a range of these. */
  _id: string;
  orgId: string;
  /** The counter that was charged. */
  counter: string;
  /** The one reservation that is charged for this key. */
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
