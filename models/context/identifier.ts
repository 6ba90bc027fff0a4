import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** The customer of an identifier. The unique key lets only one of two concurrent writers create it. */
export type IdentifierDocument = {
  /** `<orgId>:<canonical key>`, hashed when long. */
  _id: string;
  orgId: string;
  key: string;
  /** Internal id of the customer, or of one that was merged into it. */
  customer: string;
};

const schema = new Schema<IdentifierDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    key: { type: String, required: true },
    customer: { type: String, required: true },
  },
  { collection: 'context_identifiers', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, customer: 1 });

export const IdentifierModel = model('ContextIdentifier', schema);

export const identifierDocumentId = (orgId: string, key: string): string => `${orgId}:${key}`;
