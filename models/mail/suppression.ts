import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

export const suppressionReasons = ['bounced', 'complained', 'unsubscribed', 'manual'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

/** An address that an organization sends no mail to; an unsubscribed one still gets transactional mail. */
export type SuppressionDocument = {
  _id: string;
  orgId: string;
  /** The normal form; for a domain that is not ASCII, earlier versions stored the letters in lower case. */
  address: string;
  reason: SuppressionReason;
  /** The message that caused it, if any. */
  messageId: string | null;
  createdAt: Date;
};

const schema = new Schema<SuppressionDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    address: { type: String, required: true },
    reason: { type: String, enum: suppressionReasons, required: true },
    messageId: { type: String, default: null },
    createdAt: { type: Date, required: true },
  },
  { collection: 'mail_suppressions', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, address: 1 }, { unique: true });
schema.index({ orgId: 1, _id: 1 });

export const SuppressionModel = model('MailSuppression', schema);
