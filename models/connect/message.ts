import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

export const authorTypes = ['visitor', 'agent', 'application', 'notification'] as const;

/** The author of a message. `id` is the visitor's, user's or application's. */
export type Author = { type: (typeof authorTypes)[number]; id: string; name: string | null };

/** A file of the organization's system bucket. */
export type Attachment = { key: string; fileName: string; mimeType: string; size: number };

/** A message or an internal note of a conversation. Immutable. */
export type MessageDocument = {
  _id: string;
  orgId: string;
  conversationId: string;
  /** Counts the conversation's messages and notes from 1, without gaps. */
  seq: number;
  /** Counts the messages visible to the visitor from 1, without gaps; null for a note. */
  publicSeq: number | null;
  /** Identifies the request of a sender, so that a retry adds nothing. */
  echoKey: string;
  /** The hash of the request, to detect another message under the same key. */
  fingerprint: string;
  author: Author;
  text: string;
  attachments: Attachment[];
  createdAt: Date;
};

const authorSchema = new Schema<Author>(
  { type: { type: String, enum: authorTypes, required: true }, id: String, name: { type: String, default: null } },
  { _id: false },
);

/** The schema of a message, also of the last one that a conversation holds. */
export const messageFields = {
  _id: String,
  orgId: { type: String, required: true },
  conversationId: { type: String, required: true },
  seq: { type: Number, required: true },
  publicSeq: { type: Number, default: null },
  echoKey: { type: String, required: true },
  fingerprint: { type: String, required: true },
  author: { type: authorSchema, required: true },
  text: { type: String, default: '' },
  attachments: { type: [{ _id: false, key: String, fileName: String, mimeType: String, size: Number }], default: [] },
  createdAt: { type: Date, required: true },
};

const schema = new Schema<MessageDocument>(messageFields, { collection: 'connect_messages', versionKey: false });
schema.plugin(tenantGuard);
schema.index({ orgId: 1, conversationId: 1, seq: 1 }, { unique: true });
schema.index({ orgId: 1, conversationId: 1, publicSeq: 1 });
schema.index({ orgId: 1, echoKey: 1 });
// For retention.
schema.index({ orgId: 1, createdAt: 1 });

export const MessageModel = model('ConnectMessage', schema);
