import { model, Schema } from 'mongoose';

/** What strangers did within a window of time: which record of an audit log counts it, or how many such records there are. */
export type AuditWindowDocument = {
  /** The log, the window and what is counted, as a keyed hash: it names nobody. */
  _id: string;
  /** The record that counts; null where records are counted. */
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
