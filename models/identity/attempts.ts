import { model, Schema } from 'mongoose';

/**
 * Recent attempts of one kind, such as to log in to an account from a client address, or to send mail to an address.
 */
export type AttemptsDocument = {
  /** A keyed hash of the kind and the subject, so that it reveals no personal data. */
  _id: string;
  /** The times of the attempts that still count; the list is bounded. */
  triedAt: Date[];
  /** The number of consecutive lockouts. */
  lockouts: number;
  /** Attempts are rejected until then. */
  lockedUntil: Date;
  /** Grows with every change, for optimistic concurrency control, so that each of concurrent attempts is counted. */
  revision: number;
  /** When the attempts expire. */
  expiresAt: Date;
};

const schema = new Schema<AttemptsDocument>(
  {
    _id: String,
    triedAt: { type: [Date], required: true },
    lockouts: { type: Number, required: true },
    lockedUntil: { type: Date, required: true },
    revision: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'identity_attempts', versionKey: false },
);
schema.index({ expiresAt: 1 });

export const AttemptsModel = model('IdentityAttempts', schema);
