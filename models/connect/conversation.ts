import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';
import { type MessageDocument, messageFields } from './message.ts';

export const conversationStatuses = ['open', 'pending', 'closed'] as const;
export type ConversationStatus = (typeof conversationStatuses)[number];

/**
 * A conversation of a visitor of a site. It holds its last message in full; all earlier ones are in the collection of
 * messages, because each is stored there before the next one replaces it here. So a message and its number are
 * acknowledged by one atomic write.
 */
export type ConversationDocument = {
  _id: string;
  orgId: string;
  siteId: string;
  visitorId: string;
  /** The number of the conversation among the visitor's, from 1; the highest is the current one. */
  ordinal: number;
  channel: 'web';
  /** The tenant's id of the customer, with a signed identity. */
  customerId: string | null;
  customerName: string;
  /** The name for searches; null for a visitor without one, absent until a change in conversations of an earlier version. */
  nameKey?: string | null;
  /** The visitor's identifiers: see `models/connect/visitor.ts`. */
  identifiers: string[];
  status: ConversationStatus;
  assigneeId: string | null;
  lastSeq: number;
  lastPublicSeq: number;
  last: MessageDocument;
  /** The beginning of the last message that is not a note. */
  preview: string;
  /** The number of the visitor's messages that agents have not read, and vice versa. */
  agentUnread: number;
  visitorUnread: number;
  agentReadSeq: number;
  agentReadPublicSeq: number;
  visitorReadSeq: number;
  visitorReadPublicSeq: number;
  createdAt: Date;
  updatedAt: Date;
  /** When the last message or note was added, and the last message. */
  activeAt: Date;
  publicAt: Date;
  closedAt: Date | null;
};

const count = { type: Number, default: 0 };

const schema = new Schema<ConversationDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    siteId: { type: String, required: true },
    visitorId: { type: String, required: true },
    ordinal: { type: Number, required: true },
    channel: { type: String, required: true },
    customerId: { type: String, default: null },
    customerName: { type: String, required: true },
    nameKey: String,
    identifiers: { type: [String], default: [] },
    status: { type: String, enum: conversationStatuses, required: true },
    assigneeId: { type: String, default: null },
    lastSeq: { type: Number, required: true },
    lastPublicSeq: { type: Number, required: true },
    last: { type: new Schema(messageFields), required: true },
    preview: { type: String, default: '' },
    agentUnread: count,
    visitorUnread: count,
    agentReadSeq: count,
    agentReadPublicSeq: count,
    visitorReadSeq: count,
    visitorReadPublicSeq: count,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    activeAt: { type: Date, required: true },
    publicAt: { type: Date, required: true },
    closedAt: { type: Date, default: null },
  },
  { collection: 'connect_conversations', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, visitorId: 1, ordinal: 1 }, { unique: true });
schema.index({ orgId: 1, _id: 1 });
schema.index({ orgId: 1, 'last.echoKey': 1 });
schema.index({ orgId: 1, identifiers: 1 });
schema.index({ orgId: 1, nameKey: 1 });
// For the inbox: all, by status, by assignee, by customer and by site, the latest first.
schema.index({ orgId: 1, activeAt: -1, _id: -1 });
schema.index({ orgId: 1, status: 1, activeAt: -1, _id: -1 });
schema.index({ orgId: 1, assigneeId: 1, activeAt: -1, _id: -1 });
schema.index({ orgId: 1, customerId: 1, activeAt: -1, _id: -1 });
schema.index({ orgId: 1, siteId: 1, activeAt: -1, _id: -1 });
// The read ones in order; the unread ones, which are few, are sorted.
schema.index({ orgId: 1, agentUnread: 1, activeAt: -1, _id: -1 });

export const ConversationModel = model('ConnectConversation', schema);
