import { model, Schema } from 'mongoose';

/**
 * A service that keeps something of organizations, and its action that removes it. It is kept while the service is absent:
 * no deletion of an organization is complete without it.
 */
export type ErasureDocument = { _id: string; action: string };

const schema = new Schema<ErasureDocument>(
  { _id: String, action: { type: String, required: true } },
  { collection: 'identity_erasures', versionKey: false },
);

export const ErasureModel = model('IdentityErasure', schema);
