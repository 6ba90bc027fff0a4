import { model, Schema } from 'mongoose';

/**
 * The scopes that a user has granted to a client, so that consent is not requested again. It belongs to the user, not
 * to a tenant.
 */
export type OAuthConsentDocument = {
  /** `<userId>:<clientId>`. */
  _id: string;
  userId: string;
  clientId: string;
  scopes: string[];
  createdAt: Date;
  updatedAt: Date;
};

const schema = new Schema<OAuthConsentDocument>(
  {
    _id: String,
    userId: { type: String, required: true },
    clientId: { type: String, required: true },
    scopes: { type: [String], required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'identity_oauth_consents', versionKey: false },
);
schema.index({ userId: 1, _id: 1 });
schema.index({ clientId: 1 });

export const OAuthConsentModel = model('IdentityOAuthConsent', schema);

export const consentId = (userId: string, clientId: string): string => `${userId}:${clientId}`;
