import { model, Schema } from 'mongoose';
import type { Language } from '../../lib/format/language.ts';

/** The data of a registration whose mailed link was not opened yet. */
export type Registration = {
  /** Chosen in advance, so that one registration cannot create two users. */
  userId: string;
  passwordHash: string;
  firstName: string | null;
  lastName: string | null;
  /** The browser that registered, as the gateway's hash of its id. */
  browserHash: string;
  /** The address to which the browser returns afterwards. */
  returnTo: string | null;
};

type Purpose =
  | { kind: 'registration'; registration: Registration }
  | { kind: 'recovery'; returnTo: string | null }
  | { kind: 'email-verification'; userId: string; contactId: string };

/** The token of a link in a mail that is sent or to be sent. It works once, until `expiresAt`. */
export type MailedTokenDocument = {
  /** A keyed hash of the request, so that one request creates one token. */
  _id: string;
  /** SHA-256 of the token in hex. */
  tokenHash: string;
  /** The address it is mailed to, normalized. */
  email: string;
  /** The token, encrypted, until the mail service has accepted the mail; null afterwards. */
  sealedToken: string | null;
  /** When any node may pass it to the mail service; null once that is done. */
  mailDueAt: Date | null;
  /** The language of the mail: of the browser that asked for it. Absent for English. */
  language?: Language;
  /** The number of passwords tried with it. */
  guesses: number;
  /** The lease of the request that is using the token; no other request may use it before. */
  leaseUntil: Date;
  createdAt: Date;
  expiresAt: Date;
} & Purpose;

export type MailedTokenKind = Purpose['kind'];
export type MailedTokenOf<K extends MailedTokenKind> = Extract<MailedTokenDocument, { kind: K }>;

const schema = new Schema(
  {
    _id: String,
    kind: { type: String, enum: ['registration', 'recovery', 'email-verification'], required: true },
    tokenHash: { type: String, required: true },
    email: { type: String, required: true },
    sealedToken: { type: String, default: null },
    mailDueAt: { type: Date, default: null },
    language: { type: String },
    guesses: { type: Number, required: true },
    leaseUntil: { type: Date, required: true },
    registration: { type: Schema.Types.Mixed },
    returnTo: { type: String },
    userId: { type: String },
    contactId: { type: String },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'identity_mailed_tokens', versionKey: false },
);
schema.index({ tokenHash: 1 }, { unique: true });
// Finds the other links to an address after one of them was used.
schema.index({ email: 1, kind: 1 });
schema.index({ mailDueAt: 1 });
schema.index({ expiresAt: 1 });

export const MailedTokenModel = model('IdentityMailedToken', schema);
