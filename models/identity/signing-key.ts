import type { JWK } from 'jose';
import { model, Schema } from 'mongoose';

/**
 * A key that signs tokens. It signs from `signsFrom` until the next key does, and is published until its last token has
 * expired.
 */
export type SigningKeyDocument = {
  /** The key's `kid`. */
  _id: string;
  /** 1, 2, 3 …: unique, so that only one of concurrent nodes creates the next key. */
  sequence: number;
  /** The private key as a JWK, encrypted. */
  sealed: string;
  publicKey: JWK;
  signsFrom: Date;
  createdAt: Date;
};

const schema = new Schema<SigningKeyDocument>(
  {
    _id: String,
    sequence: { type: Number, required: true },
    sealed: { type: String, required: true },
    publicKey: { type: Schema.Types.Mixed, required: true },
    signsFrom: { type: Date, required: true },
    createdAt: { type: Date, required: true },
  } as never,
  { collection: 'identity_signing_keys', versionKey: false },
);
schema.index({ sequence: 1 }, { unique: true });

export const SigningKeyModel = model('IdentitySigningKey', schema);
