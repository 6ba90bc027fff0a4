import { model, Schema } from 'mongoose';

/**
 * A webhook whose signature was right, kept so that its event counts once however often it is delivered. It belongs to a
 * provider, not to an organization: whose it is may only be known later.
 */
export type WebhookDocument = {
  /** `<provider>:<the event's id there>`. */
  _id: string;
  provider: string;
  type: string;
  /** What it is about, to the provider; null where that does not matter. */
  subject: string | null;
  sentAt: Date;
  /** What the provider needs to tell what it means. */
  payload: Record<string, unknown>;
  isDone: boolean;
  attempts: number;
  /** When it is tried next, unless it is done. */
  nextAttemptAt: Date;
  /** Why it is not done yet. */
  lastError: string | null;
  receivedAt: Date;
  /** Until when its id is remembered, and for how long it is tried. */
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
