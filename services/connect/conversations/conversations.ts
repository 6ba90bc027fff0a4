import { z } from 'zod';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { pathId, timestamp } from '../../../lib/contract/input.ts';
import {
  type ConversationDocument,
  ConversationModel,
  conversationStatuses,
} from '../../../models/connect/conversation.ts';

/** Accepts any text in the path: an unknown conversation is 404, never 400. */
export const conversationPath = z.strictObject({
  id: pathId('conv').describe('The id of the conversation (`conv_…`).'),
});

export const conversationStatus = z.enum(conversationStatuses);

/** A conversation as agents see it. Numbers count messages and notes together. */
export const conversationOutput = z
  .strictObject({
    conversationId: z.string(),
    channel: z.literal('web'),
    siteId: z.string(),
    visitorId: z.string(),
    customerId: z
      .string()
      .nullable()
      .describe("The customer's id in your own system, if your server signed the identity; otherwise null."),
    customerName: z.string().describe('The name of the visitor, for people.'),
    /** The beginning of the last message that is not a note. */
    lastMessage: z.string(),
    lastMessageAt: timestamp.describe('When the last message or note was written.'),
    lastSeq: z.int(),
    status: conversationStatus,
    assigneeId: z.string().nullable(),
    unreadCount: z.int().describe('The number of messages of the visitor that no agent has read.'),
    agentReadSeq: z.int(),
    visitorReadSeq: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Conversation' });

export const exampleConversation = {
  conversationId: exampleId('conv'),
  channel: 'web',
  siteId: exampleId('site'),
  visitorId: exampleId('vis'),
  customerId: 'C-1042',
  customerName: 'Jean Bartik',
  lastMessage: 'Does the touring saddle fit the city bike?',
  lastMessageAt: exampleInstant,
  lastSeq: 1,
  status: 'open',
  assigneeId: exampleId('usr', 'grace'),
  unreadCount: 1,
  agentReadSeq: 0,
  visitorReadSeq: 0,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof conversationOutput>;

export function toConversationResponse(conversation: ConversationDocument): z.output<typeof conversationOutput> {
  const { _id: conversationId, channel, siteId, visitorId, customerId, customerName } = conversation;
  const { preview: lastMessage, lastSeq, status, assigneeId, agentUnread: unreadCount } = conversation;
  const { agentReadSeq, visitorReadSeq, activeAt, createdAt, updatedAt } = conversation;
  return {
    conversationId,
    channel,
    siteId,
    visitorId,
    customerId,
    customerName,
    lastMessage,
    lastMessageAt: activeAt.toISOString(),
    lastSeq,
    status,
    assigneeId,
    unreadCount,
    agentReadSeq,
    visitorReadSeq,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** Reads a conversation of the organization; throws NOT_FOUND, also for another organization's. */
export async function findConversation(orgId: string, id: string): Promise<ConversationDocument> {
  const conversation = await ConversationModel.findOne({ orgId, _id: id }).lean<ConversationDocument>();
  if (!conversation) throw apiError('NOT_FOUND', { message: 'No conversation has this id.' });
  return conversation;
}

/** Finds the current conversation of a visitor, the latest one; null if there is none. */
export function findPresent(orgId: string, visitorId: string): Promise<ConversationDocument | null> {
  return ConversationModel.findOne({ orgId, visitorId }).sort({ ordinal: -1 }).lean<ConversationDocument>().exec();
}
