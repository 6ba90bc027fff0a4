import { model, Schema } from 'mongoose';

/**
 * A webhook with a valid signature, stored so that an event is processed once even if it is delivered several times. It
 * belongs to a provider, not to an organization, because the organization may only be known later.
 */
export type WebhookDocument = {
  /** `<provider>:<the event's id there>`. */
  _id: string;
  provider: string;
  type: string;
  /** The id of its subject at the provider; null where it is irrelevant. */
  subject: string | null;
  sentAt: Date;
  /** The data that the provider's adapter interprets. */
  payload: Record<string, unknown>;
  isDone: boolean;
  attempts: number;
  /** The time of the next attempt, unless it is done. */
  nextAttemptAt: Date;
  /** The last error. */
  lastError: string | null;
  receivedAt: Date;
  /** The end of its deduplication and of its retries. */
  expiresAt: Date;
};

const schema = new Schema<WebhookDocument>(
  {
    _id: String,
    provider: { type: String, required: true },
    type: { type: String, required: true },
    subject: { type: String, default: null },
    sentAt: { type: Date, required: true },
    payload: { type: Schema.Types.Mixed, required: true },
    isDone: { type: Boolean, required: true },
    attempts: { type: Number, required: true },
    nextAttemptAt: { type: Date, required: true },
    lastError: { type: String, default: null },
    receivedAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  } as never,
  { collection: 'billing_webhooks', versionKey: false, minimize: false },
);
schema.index({ isDone: 1, nextAttemptAt: 1 });
schema.index({ expiresAt: 1 });

export const WebhookModel = model('BillingWebhook', schema);
