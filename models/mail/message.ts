import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';
import { type DeliveryFields, deliveryFields, indexDeliveries } from '../../messaging/delivery/documents.ts';
import type { ChargedFields } from '../../messaging/delivery/refunds.ts';
import { type Category, categories } from '../../messaging/templates/content.ts';

/** The statuses of the queue, and `suppressed`: never sent; `bounced`: returned permanently. */
export const messageStatuses = ['queued', 'waiting', 'sending', 'sent', 'failed', 'suppressed', 'bounced'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** The organization id of the platform's mail, which has no organization. */
export const platformMail = 'platform';

export const feedbackTypes = ['bounced', 'complained'] as const;

/** The report of a mail server or a mail service on a sent message. */
export type Feedback = { type: (typeof feedbackTypes)[number]; isPermanent: boolean; detail: string; at: Date };

const systemKey = 'system:';

/** The deduplication key of a system mail, for the key of its request. */
export const keyOfSystemMail = (key: string): string => `${systemKey}${key}`;

/** Whether a mail is a system mail: it has no template of an organization and is not one of its notifications. */
export const isSystemMail = ({ key }: Pick<MessageDocument, 'key'>): boolean => key.startsWith(systemKey);

const notificationKey = 'notification:';

/** The deduplication key of a mail that carries a notification. */
export const keyOfNotification = (notificationId: string): string => `${notificationKey}${notificationId}`;

/** The notification that a mail carries; null for another mail. */
export const notificationOf = ({ key }: Pick<MessageDocument, 'key'>): string | null =>
  key.startsWith(notificationKey) ? key.slice(notificationKey.length) : null;

/** The range of the keys of notifications. */
export const notificationKeys = { $gte: 'notification:', $lt: 'notification;' };

/** A mail to one address, with its state of delivery. */
export type MessageDocument = DeliveryFields &
  ChargedFields & {
    status: MessageStatus;
    /** Unique: `system:…` of a system mail, `notification:…` of a notification, otherwise the id. */
    key: string;
    from: { name: string; address: string };
    replyTo: string | null;
    to: string;
    /** The normal form of the address, by which it is found (`storedEmails`). */
    recipient: string;
    /** Empty until it is rendered. */
    subject: string;
    /** The body, or the data it is rendered from, as encrypted JSON; null once it is no longer needed. */
    sealedBody: string | null;
    /** The version of the template that it is rendered from; null for a system mail and for a notification. */
    templateId: string | null;
    templateVersion: number | null;
    category: Category;
    locale: string | null;
    /** Objects of the organization, read when it is sent. */
    attachments: { bucket: string; key: string }[];
    /** The batch of quota units that it is charged to. */
    lot?: string;
    feedback: Feedback[];
    sentAt: Date | null;
  };

const feedback = new Schema<Feedback>(
  {
    type: { type: String, enum: feedbackTypes, required: true },
    isPermanent: { type: Boolean, required: true },
    detail: { type: String, default: '' },
    at: { type: Date, required: true },
  },
  { _id: false },
);

const schema = new Schema<MessageDocument>(
  {
    ...deliveryFields,
    status: { type: String, enum: messageStatuses, required: true },
    key: { type: String, required: true },
    from: { _id: false, type: { name: String, address: String }, required: true },
    replyTo: { type: String, default: null },
    to: { type: String, required: true },
    recipient: { type: String, required: true },
    subject: { type: String, default: '' },
    sealedBody: { type: String, default: null },
    templateId: { type: String, default: null },
    templateVersion: { type: Number, default: null },
    category: { type: String, enum: categories, required: true },
    locale: { type: String, default: null },
    attachments: { type: [{ _id: false, bucket: String, key: String }], default: [] },
    lot: { type: String },
    refundDue: { type: Boolean, default: false },
    feedback: { type: [feedback], default: [] },
    sentAt: { type: Date, default: null },
  },
  { collection: 'mail_messages', versionKey: false },
);
schema.plugin(tenantGuard);
indexDeliveries(schema);
schema.index({ key: 1 }, { unique: true });
schema.index({ orgId: 1, recipient: 1, _id: 1 });
schema.index({ orgId: 1, createdAt: 1 });
schema.index({ createdAt: 1 });
schema.index({ refundDue: 1, _id: 1 });

export const MessageModel = model<MessageDocument>('MailMessage', schema);
