import { model, Schema } from 'mongoose';

/** How often something was tried lately: to log in as somebody from an address, to have mail sent to one. */
export type AttemptsDocument = {
  /** What is counted, and for whom, as a keyed hash: it names nobody. */
  _id: string;
  /** When; only those that still count, and so few that the list stays short. */
  triedAt: Date[];
  /** How often in a row this was locked. */
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
