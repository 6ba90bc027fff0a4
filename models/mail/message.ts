import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

export const messageStatuses = ['queued', 'sending', 'sent', 'failed'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** The statuses of mail that is still to be sent. */
export const openStatuses: MessageStatus[] = ['queued', 'sending'];

/** Stands for the organization in mail that concerns none. */
export const platformMail = 'platform';

/** A mail to one address, with its state of delivery. */
export type MessageDocument = {
  _id: string;
  orgId: string;
  /** A deduplication key, unique on the platform. It begins with the sender, such as `system:`. */
  key: string;
  from: { name: string; address: string };
  to: string;
  subject: string;
  /** `{ html, text }` as JSON, encrypted because it may hold a link that logs in; null once it is no longer needed. */
  sealedBody: string | null;
  status: MessageStatus;
  /** The number of attempts to send it. */
  attempts: number;
  /** While `queued`: the time of the next attempt. */
  nextAttemptAt: Date;
  /** While `sending`: the node that holds the lease. After `leaseUntil` any node may claim it. */
  leaseOwner: string | null;
  leaseUntil: Date | null;
  /** For operators: short, and without a link or a credential. */
  lastError: string | null;
  createdAt: Date;
  updatedAt: Date;
  sentAt: Date | null;
};

const schema = new Schema<MessageDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    key: { type: String, required: true },
    from: { _id: false, type: { name: String, address: String }, required: true },
    to: { type: String, required: true },
    subject: { type: String, required: true },
    sealedBody: { type: String, default: null },
    status: { type: String, enum: messageStatuses, required: true },
    attempts: { type: Number, default: 0 },
    nextAttemptAt: { type: Date, required: true },
    leaseOwner: { type: String, default: null },
    leaseUntil: { type: Date, default: null },
    lastError: { type: String, default: null },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    sentAt: { type: Date, default: null },
  },
  { collection: 'mail_messages', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });
schema.index({ key: 1 }, { unique: true });
schema.index({ status: 1, nextAttemptAt: 1 });
schema.index({ status: 1, updatedAt: 1 });

export const MessageModel = model('MailMessage', schema);
