import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** An API key. It works from its creation until `expiresAt` or `revokedAt`, and is kept afterwards as a record. */
export type ApiKeyDocument = {
  _id: string;
  orgId: string;
  applicationId: string;
  name: string;
  /** SHA-256 of the token in hex. The token is not stored. */
  tokenHash: string;
  scopes: string[];
  /** Null: it does not expire. */
  expiresAt: Date | null;
  revokedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

const schema = new Schema<ApiKeyDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    applicationId: { type: String, required: true },
    name: { type: String, required: true },
    tokenHash: { type: String, required: true },
    scopes: { type: [String], required: true },
    expiresAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'identity_api_keys', versionKey: false },
);
schema.plugin(tenantGuard);
// Lists an application's valid keys, newest first.
schema.index({ orgId: 1, applicationId: 1, revokedAt: 1, _id: 1 });
// Counts an organization's valid keys.
schema.index({ orgId: 1, revokedAt: 1, expiresAt: 1 });
// Finds the key of a request. The tenant is only known after this lookup.
schema.index({ tokenHash: 1 }, { unique: true });

export const ApiKeyModel = model('IdentityApiKey', schema);
