import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** An organization's customer at Stripe, kept for later purchases. `_id` and `orgId` are both the organization's id. */
export type StripeCustomerDocument = { _id: string; orgId: string; customerId: string; createdAt: Date };

const schema = new Schema<StripeCustomerDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    customerId: { type: String, required: true },
    createdAt: { type: Date, required: true },
  } as never,
  { collection: 'billing_customers', versionKey: false },
);
schema.plugin(tenantGuard);

export const StripeCustomerModel = model('BillingStripeCustomer', schema);
