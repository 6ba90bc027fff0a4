import { z } from 'zod';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import type { ConversationDocument } from '../../../models/connect/conversation.ts';
import type { MessageDocument } from '../../../models/connect/message.ts';
import { conversationStatus } from '../conversations/conversations.ts';
import { attachmentOutput, toAttachmentsResponse } from '../conversations/messages.ts';

/** A conversation as its visitor sees it. Numbers count the visible messages, without gaps. */
export const widgetConversation = z
  .strictObject({
    conversationId: z.string(),
    status: conversationStatus,
    lastMessage: z.string(),
    lastSeq: z.int(),
    unreadCount: z.int(),
    /** The read positions of the visitor and of the agents. */
    readSeq: z.int(),
    agentReadSeq: z.int(),
    updatedAt: timestamp,
  })
  .meta({ id: 'WidgetConversation' });

export const exampleWidgetConversation = {
  conversationId: exampleId('conv'),
  status: 'open',
  lastMessage: 'It does.',
  lastSeq: 2,
  unreadCount: 1,
  readSeq: 0,
  agentReadSeq: 1,
  updatedAt: exampleInstant,
} satisfies z.input<typeof widgetConversation>;

export function toVisitorConversation(conversation: ConversationDocument): z.output<typeof widgetConversation> {
  const { _id: conversationId, status, preview: lastMessage, lastPublicSeq: lastSeq } = conversation;
  const { visitorUnread: unreadCount, visitorReadPublicSeq: readSeq, agentReadPublicSeq: agentReadSeq } = conversation;
  // The public time, because the time of the last change would reveal internal notes.
  const updatedAt = conversation.publicAt.toISOString();
  return { conversationId, status, lastMessage, lastSeq, unreadCount, readSeq, agentReadSeq, updatedAt };
}

/** A message as the visitor sees it. `from: 'team'`: an agent or an application of the organization. */
export const widgetMessage = z
  .strictObject({
    messageId: z.string(),
    conversationId: z.string(),
    seq: z.int(),
    from: z.enum(['visitor', 'team']),
    /** The agent's name; null for the site's name. */
    name: z.string().nullable(),
    text: z.string(),
    attachments: z.array(attachmentOutput),
    createdAt: timestamp,
  })
  .meta({ id: 'WidgetMessage' });

export const exampleWidgetMessage = {
  messageId: exampleId('cmsg'),
  conversationId: exampleId('conv'),
  seq: 1,
  from: 'visitor',
  name: 'Jean Bartik',
  text: 'Does the touring saddle fit the city bike?',
  attachments: [],
  createdAt: exampleInstant,
} satisfies z.input<typeof widgetMessage>;

export function toVisitorMessage(message: MessageDocument): z.output<typeof widgetMessage> {
  const { _id: messageId, conversationId, publicSeq, author, text, createdAt } = message;
  return {
    messageId,
    conversationId,
    seq: publicSeq ?? 0,
    from: author.type === 'visitor' ? 'visitor' : 'team',
    name: author.name,
    text,
    attachments: toAttachmentsResponse(message),
    createdAt: createdAt.toISOString(),
  };
}
