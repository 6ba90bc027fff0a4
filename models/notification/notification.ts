import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';
import { deliveryFields, indexDeliveries } from '../../messaging/delivery/documents.ts';
import type { ChargedFields } from '../../messaging/delivery/refunds.ts';
import { type Channel, channels, type ProviderName } from './connection.ts';

/**
 * `rejected`: one connection did not accept the message; another one, or a later attempt, may. `sent` and `failed` are
 * final, unless an operator retries a failed one.
 */
export const eventTypes = ['queued', 'rejected', 'sent', 'failed'] as const;

export type NotificationEvent = {
  type: (typeof eventTypes)[number];
  at: Date;
  connectionId: string | null;
  provider: ProviderName | null;
  reason: string | null;
};

/** A message to one person on one channel, with its state of delivery. */
export type NotificationDocument = ChargedFields & {
  channel: Channel;
  /** The recipient as the request named it. */
  recipientId: string;
  /** The candidate addresses at a provider, the likeliest first: the identifiers of a customer, or one address. */
  addresses: string[];
  /** The keys of `recipientId` and of the addresses (`recipientKeys`), by which the erasure of a customer finds it. */
  recipients: string[];
  templateId: string | null;
  templateVersion: number | null;
  /** The locale whose content was rendered; null for the default. */
  locale: string | null;
  /** The rendered content as JSON, encrypted; null once it is no longer needed. */
  sealedContent: string | null;
  /** The only connection that may send it, for a test; otherwise null. */
  onlyConnection: string | null;
  /** The connection that sent it. */
  connectionId: string | null;
  provider: ProviderName | null;
  /** The message's id at the provider. */
  providerMessageId: string | null;
  events: NotificationEvent[];
  sentAt: Date | null;
};

const schema = new Schema<NotificationDocument>(
  {
    ...deliveryFields,
    refundDue: Boolean,
    channel: { type: String, enum: channels, required: true },
    recipientId: { type: String, required: true },
    addresses: { type: [String], required: true },
    recipients: { type: [String], required: true },
    templateId: { type: String, default: null },
    templateVersion: { type: Number, default: null },
    locale: { type: String, default: null },
    sealedContent: { type: String, default: null },
    onlyConnection: { type: String, default: null },
    connectionId: { type: String, default: null },
    provider: { type: String, default: null },
    providerMessageId: { type: String, default: null },
    events: {
      type: [{ _id: false, type: { type: String }, at: Date, connectionId: String, provider: String, reason: String }],
      default: [],
    },
    sentAt: { type: Date, default: null },
  },
  { collection: 'notification_messages', versionKey: false },
);
schema.plugin(tenantGuard);
indexDeliveries(schema);
schema.index({ orgId: 1, recipients: 1 });
schema.index({ refundDue: 1, _id: 1 });
schema.index({ createdAt: 1 });
schema.index({ provider: 1, _id: 1 });

export const NotificationModel = model<NotificationDocument>('Notification', schema);
