import { model, Schema } from 'mongoose';

/**
 * Events of unauthenticated callers in a time window: the audit record that counts them, or the number of such records.
 */
export type AuditWindowDocument = {
  /** A keyed hash of the log, the window and the counted events, so that it reveals no personal data. */
  _id: string;
  /** The counting record; null where records are counted. */
  recordId: string | null;
  records: number;
  expiresAt: Date;
};

const schema = new Schema<AuditWindowDocument>(
  {
    _id: String,
    recordId: { type: String, default: null },
    records: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'identity_audit_windows', versionKey: false },
);
schema.index({ expiresAt: 1 });

export const AuditWindowModel = model('IdentityAuditWindow', schema);
