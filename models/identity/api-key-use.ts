import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/**
 * The last use of an API key. It is a separate document, so that recording a use never writes the document with the
 * key's validity: some databases do not update a document atomically.
 */
export type ApiKeyUseDocument = {
  /** The key's id. */
  _id: string;
  orgId: string;
  /** Accurate to a minute. */
  lastUsedAt: Date;
};

const schema = new Schema<ApiKeyUseDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    lastUsedAt: { type: Date, required: true },
  },
  { collection: 'identity_api_key_uses', versionKey: false },
);
schema.plugin(tenantGuard);

export const ApiKeyUseModel = model('IdentityApiKeyUse', schema);
