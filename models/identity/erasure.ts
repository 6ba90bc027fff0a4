import { model, Schema } from 'mongoose';

/**
 * A service that stores data of organizations, with its action that removes the data. It is kept while the service is
 * absent, because the deletion of an organization is complete only after that action.
 */
export type ErasureDocument = { _id: string; action: string };

const schema = new Schema<ErasureDocument>(
  { _id: String, action: { type: String, required: true } },
  { collection: 'identity_erasures', versionKey: false },
);

export const ErasureModel = model('IdentityErasure', schema);
