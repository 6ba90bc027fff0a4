import { model, Schema } from 'mongoose';

/**
 * Recent attempts at one thing, such as to log in to an account from a client address, or to send mail to an address.
 */
export type AttemptsDocument = {
  /** A keyed hash of what is counted and for whom, so that it reveals no personal data. */
  _id: string;
  /** The times of the attempts that still count; the list is bounded. */
  triedAt: Date[];
  /** The number of consecutive lockouts. */
  lockouts: number;
  /** Nothing may be tried before. */
  lockedUntil: Date;
  /** Counts the changes: an update names the one it was made from, so that of many at once each is counted. */
  revision: number;
  /** From then on it is as if nothing had been tried. */
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
