import { model, Schema } from 'mongoose';

/** An access token that was revoked before its expiry. Other access tokens are not stored. */
export type OAuthRevokedTokenDocument = {
  /** The token's `jti`. */
  _id: string;
  /** When the token would have expired anyway. */
  expiresAt: Date;
};

const schema = new Schema<OAuthRevokedTokenDocument>(
  { _id: String, expiresAt: { type: Date, required: true } },
  { collection: 'identity_oauth_revoked_tokens', versionKey: false },
);
schema.index({ expiresAt: 1 });

export const OAuthRevokedTokenModel = model('IdentityOAuthRevokedToken', schema);
