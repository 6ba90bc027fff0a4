import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** The sender of an organization's mail. The id is the organization's. */
export type SenderSettingsDocument = {
  _id: string;
  orgId: string;
  /** Null: the name of the platform's sender. */
  fromName: string | null;
  /** Null: the platform's address. */
  from: string | null;
  replyTo: string | null;
  updatedAt: Date;
};

const schema = new Schema<SenderSettingsDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    fromName: { type: String, default: null },
    from: { type: String, default: null },
    replyTo: { type: String, default: null },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'mail_sender_settings', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1 }, { unique: true });

export const SenderSettingsModel = model('MailSenderSettings', schema);
