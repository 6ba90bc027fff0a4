import { model, Schema } from 'mongoose';

/** The login of a user in a browser. Ending a session removes its document, so an existing one is not revoked. */
export type SessionDocument = {
  _id: string;
  userId: string;
  /** SHA-256 of the cookie's value in hex. */
  tokenHash: string;
  /** When the user authenticated: by password, or by a mailed link. */
  authenticatedAt: Date;
  /** Accurate to a minute. */
  lastUsedAt: Date;
  /** Extended by each use, but never beyond `absoluteExpiresAt`. */
  expiresAt: Date;
  absoluteExpiresAt: Date;
  address: string;
  userAgent: string;
  createdAt: Date;
};

const schema = new Schema<SessionDocument>(
  {
    _id: String,
    userId: { type: String, required: true },
    tokenHash: { type: String, required: true },
    authenticatedAt: { type: Date, required: true },
    lastUsedAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    absoluteExpiresAt: { type: Date, required: true },
    address: { type: String, default: '' },
    userAgent: { type: String, default: '' },
    createdAt: { type: Date, required: true },
  },
  { collection: 'identity_sessions', versionKey: false },
);
schema.index({ tokenHash: 1 }, { unique: true });
schema.index({ userId: 1, _id: 1 });
schema.index({ expiresAt: 1 });

export const SessionModel = model('IdentitySession', schema);
