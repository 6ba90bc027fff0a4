import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** A requested merge of two customers, from before it begins until it is complete. */
export type CustomerMergeDocument = {
  _id: string;
  orgId: string;
  /** Keys such as `id:C-1042`, one of each customer. */
  identifiers: string[];
  /** When the sweep completes it, because the request has not. */
  dueAt: Date;
};

const schema = new Schema<CustomerMergeDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    identifiers: { type: [String], required: true },
    dueAt: { type: Date, required: true },
  },
  { collection: 'context_customer_merges', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1 });
schema.index({ dueAt: 1, _id: 1 });

export const CustomerMergeModel = model('ContextCustomerMerge', schema);
