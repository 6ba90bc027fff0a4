import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/**
 * The erasure of a customer, until the story is erased and all other services have removed their data of the customer.
 */
export type CustomerErasureDocument = {
  _id: string;
  orgId: string;
  /** The internal ids of the customers whose stories are erased. Absent in an erasure that an earlier version began. */
  customers?: string[];
  /** Keys such as `email:ada@example.com`. */
  identifiers: string[];
  /** When it was begun. Absent in one that an earlier version began. */
  erasedAt?: Date;
  /** The services that have completed it. */
  done: string[];
  /** When the sweep calls the remaining services again. */
  dueAt: Date;
};

const schema = new Schema<CustomerErasureDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    customers: { type: [String], default: undefined },
    identifiers: { type: [String], required: true },
    erasedAt: Date,
    done: { type: [String], default: [] },
    dueAt: { type: Date, required: true },
  },
  { collection: 'context_customer_erasures', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1 });
schema.index({ dueAt: 1, _id: 1 });

export const CustomerErasureModel = model('ContextCustomerErasure', schema);

/** A service that keeps data of customers, with the action that erases it; kept also while the service is absent. */
export type ErasingServiceDocument = { _id: string; action: string };

export const ErasingServiceModel = model(
  'ContextErasingService',
  new Schema<ErasingServiceDocument>(
    { _id: String, action: { type: String, required: true } },
    { collection: 'context_erasing_services', versionKey: false },
  ),
);
