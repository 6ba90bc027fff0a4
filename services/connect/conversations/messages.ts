import { z } from 'zod';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { optionalLines, timestamp } from '../../../lib/contract/input.ts';
import { integerIn } from '../../../lib/contract/json-schema.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { authorTypes, type MessageDocument, MessageModel } from '../../../models/connect/message.ts';

export const maxText = 5000;
export const maxAttachments = 10;

/** The text of a message: plain text, never markup. */
export const messageText = optionalLines(maxText);

/** The client's idempotency key of a message; a repeated message adds nothing. */
export const echoIdInput = z.string().regex(/^[\x21-\x7e]{1,100}$/, 'Must be 1 to 100 visible ASCII characters.');

export const attachmentOutput = z
  .strictObject({
    attachmentId: z.string(),
    fileName: z.string(),
    mimeType: z.string(),
    size: z.int(),
  })
  .meta({ id: 'Attachment' });

/** A message or note as agents see it. */
export const messageOutput = z
  .strictObject({
    messageId: z.string(),
    conversationId: z.string(),
    seq: z.int(),
    type: z.enum(['message', 'note']).describe('`note`: an internal note, which the visitor never sees.'),
    author: z
      .strictObject({
        type: z.enum(authorTypes).describe('The kind of the author.'),
        id: z.string().describe('The id of the visitor, user or application.'),
        name: z.string().nullable().describe('The name; null: the name of the website.'),
      })
      .describe('Who wrote it.'),
    text: z.string(),
    attachments: z.array(attachmentOutput),
    createdAt: timestamp,
  })
  .meta({ id: 'Message' });

export const exampleMessage = {
  messageId: exampleId('cmsg'),
  conversationId: exampleId('conv'),
  seq: 1,
  type: 'message',
  author: { type: 'visitor', id: exampleId('vis'), name: 'Jean Bartik' },
  text: 'Does the touring saddle fit the city bike?',
  attachments: [],
  createdAt: exampleInstant,
} satisfies z.input<typeof messageOutput>;

export function toMessageResponse(message: MessageDocument): z.output<typeof messageOutput> {
  const { _id: messageId, conversationId, seq, publicSeq, author, text, createdAt } = message;
  return {
    messageId,
    conversationId,
    seq,
    type: publicSeq === null ? 'note' : 'message',
    author: { type: author.type, id: author.id, name: author.name },
    text,
    attachments: toAttachmentsResponse(message),
    createdAt: createdAt.toISOString(),
  };
}

export function toAttachmentsResponse({ attachments }: MessageDocument): z.output<typeof attachmentOutput>[] {
  return attachments.map(({ key, fileName, mimeType, size }) => ({
    attachmentId: idOfKey(key),
    fileName,
    mimeType,
    size,
  }));
}

/** Returns the attachment id, the last segment of the key. */
const idOfKey = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

const maxMessages = 200;
const defaultMessages = 50;
const digits = z.string().regex(/^\d{1,12}$/, 'Must be a whole number.');
const messageNumber = digits.meta(integerIn(0, 999_999_999_999)).transform(Number);

/** The query for messages: those after a number, before a number, or the latest; always in ascending order. */
export const messagesQuery = {
  after: messageNumber.optional().describe('Only messages after this number.'),
  before: messageNumber.optional().describe('Only messages before this number. Ignored with `after`.'),
  limit: digits
    .meta({ ...integerIn(1, maxMessages), default: defaultMessages })
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= maxMessages, `Must be a whole number from 1 to ${maxMessages}.`)
    .default(defaultMessages),
};

export type MessagesQuery = { after?: number | undefined; before?: number | undefined; limit: number };
type Field = 'seq' | 'publicSeq';

/**
 * Reads a page of messages in ascending order of a number. `hasMore`: there are further ones in the reading direction:
 * later ones with `after`, otherwise earlier ones. The caller must have read the conversation before.
 */
export async function readMessages(
  conversation: ConversationDocument,
  field: Field,
  query: MessagesQuery,
): Promise<{ messages: MessageDocument[]; hasMore: boolean }> {
  const { orgId, _id: conversationId, last } = conversation;
  const { after, before, limit } = query;
  const isForward = after !== undefined;
  const range = isForward ? { $gt: after } : { $gt: 0, ...(before !== undefined && { $lt: before }) };
  const stored = await MessageModel.find({ orgId, conversationId, [field]: range })
    .sort({ [field]: isForward ? 1 : -1 })
    .limit(limit + 1)
    .lean<MessageDocument[]>();
  const messages = isForward ? stored : stored.reverse();
  // The last message may be stored only in the conversation yet; it follows all stored ones.
  if (isIn(last, field, query) && messages.every((one) => one.seq < last.seq)) messages.push(last);
  const hasMore = messages.length > limit;
  const shown = isForward ? messages.slice(0, limit) : messages.slice(-limit);
  return { messages: shown, hasMore };
}

function isIn(message: MessageDocument, field: Field, { after, before }: MessagesQuery): boolean {
  const number = message[field];
  return number !== null && number > (after ?? 0) && (after !== undefined || before === undefined || number < before);
}

type Side = 'agent' | 'visitor';

/**
 * Records that a side has read up to a number of its count, and recounts its unread messages. Null if it had already
 * read as far.
 */
export async function markRead(
  found: ConversationDocument,
  side: Side,
  upTo: number,
): Promise<{ conversation: ConversationDocument; seq: number; publicSeq: number } | null> {
  const field: Field = side === 'agent' ? 'seq' : 'publicSeq';
  const { orgId, _id } = found;
  for (let conversation: ConversationDocument | null = found; conversation; ) {
    const { lastSeq, lastPublicSeq } = conversation;
    const readTo = Math.min(upTo, side === 'agent' ? lastSeq : lastPublicSeq);
    const already = side === 'agent' ? conversation.agentReadSeq : conversation.visitorReadPublicSeq;
    if (readTo <= already) return null;
    const marks = await marksAt(conversation, field, readTo);
    const unread = await countUnread(conversation, side, marks);
    const set =
      side === 'agent'
        ? { agentReadSeq: marks.seq, agentReadPublicSeq: marks.publicSeq, agentUnread: unread }
        : { visitorReadSeq: marks.seq, visitorReadPublicSeq: marks.publicSeq, visitorUnread: unread };
    // Fails if there is another message since, because the count would be wrong.
    const updated = await ConversationModel.findOneAndUpdate(
      { orgId, _id, lastSeq },
      { $set: set },
      { returnDocument: 'after' },
    ).lean<ConversationDocument>();
    if (updated) return { conversation: updated, ...marks };
    conversation = await ConversationModel.findOne({ orgId, _id }).lean<ConversationDocument>();
  }
  return null;
}

type Marks = { seq: number; publicSeq: number };

/** Converts a number of one count to both: the last public message up to it. */
async function marksAt(conversation: ConversationDocument, field: Field, seq: number): Promise<Marks> {
  const { orgId, _id: conversationId, last, lastSeq, lastPublicSeq } = conversation;
  if (last[field] !== null && seq >= last[field]) return { seq: lastSeq, publicSeq: lastPublicSeq };
  const shown = await MessageModel.findOne({
    orgId,
    conversationId,
    [field]: { $lte: seq, $gt: 0 },
    ...(field === 'seq' && { publicSeq: { $gt: 0 } }),
  })
    .sort({ [field]: -1 })
    .lean<MessageDocument>();
  const publicSeq = shown?.publicSeq ?? 0;
  return field === 'seq' ? { seq, publicSeq } : { seq: shown?.seq ?? 0, publicSeq };
}

async function countUnread(conversation: ConversationDocument, side: Side, { seq }: Marks): Promise<number> {
  const { orgId, _id: conversationId, last } = conversation;
  const isOfOthers = ({ author, publicSeq }: MessageDocument) =>
    publicSeq !== null && (author.type === 'visitor') === (side === 'agent');
  const stored = await MessageModel.countDocuments({
    orgId,
    conversationId,
    seq: { $gt: seq, $lt: last.seq },
    publicSeq: { $gt: 0 },
    'author.type': side === 'agent' ? 'visitor' : { $ne: 'visitor' },
  });
  return stored + (last.seq > seq && isOfOthers(last) ? 1 : 0);
}
