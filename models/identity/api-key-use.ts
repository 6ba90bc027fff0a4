import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/**
 * When an API key was last used. It is apart from the key, so that noting a use never writes the document that says
 * whether the key is in force: there are databases whose updates of one document are not atomic.
 */
export type ApiKeyUseDocument = {
  /** The key's id. */
  _id: string;
  orgId: string;
  /** Exact to a minute. */
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
