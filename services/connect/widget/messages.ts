import { z } from 'zod';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, timestamp, toPage } from '../../../lib/contract/input.ts';
import { deleteInBatches, maxBatchSize } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { emailInput } from '../../../lib/format/email-address.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { type MessageDocument, MessageModel } from '../../../models/connect/message.ts';
import { type VisitorDocument, VisitorModel } from '../../../models/connect/visitor.ts';
import { isAnyAgentOnline } from '../agents.ts';
import { attachmentIds, takeAttachments } from '../attachments.ts';
import { conversationStatus, findPresent } from '../conversations/conversations.ts';
import { announceMessage, announceRead, announceTyping } from '../conversations/hints.ts';
import {
  attachmentOutput,
  echoIdInput,
  markRead,
  messagesQuery,
  messageText,
  readMessages,
  toAttachmentsResponse,
} from '../conversations/messages.ts';
import { postOfVisitor } from '../conversations/post-to-visitor.ts';
import { requireContent } from '../conversations/reply.ts';
import { countVisitor } from '../visitors/rate-limits.ts';
import {
  requireNotErased,
  requireVisit,
  type Visit,
  visitErrors,
  visitHeaders,
  visitorName,
} from '../visitors/visit.ts';
import { identifiersOf, networkHash, storeIdentified, storeVisitor } from '../visitors/visitors.ts';

/** A conversation as its visitor sees it. Numbers count the visible messages, without gaps. */
export const widgetConversation = z
  .strictObject({
    conversationId: z.string(),
    status: conversationStatus,
    lastMessage: z.string(),
    lastSeq: z.int(),
    unreadCount: z.int(),
    readSeq: z.int().describe('The number of the last message that the visitor has read.'),
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
    from: z.enum(['visitor', 'team']).describe('`team`: an agent or an application of the organization.'),
    name: z.string().nullable().describe('The name of the agent; null: the name of the website.'),
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

const headers = visitHeaders;
const exampleHeaders = { authorization: 'Bearer eyJvcmdJZCI6Im9yZ18.b2Y' };
const conversationId = z
  .string()
  .max(100)
  .optional()
  .describe('The id of a conversation of the visitor; by default the current one.');

/** GET /v1/widget/conversations: the visitor's latest conversations, the current one first. */
export const listWidgetConversations = defineAction({
  rest: 'GET /v1/widget/conversations',
  summary: "List the visitor's conversations",
  description: 'Returns the conversations of the visitor, the current one first.',
  permission: 'public',
  input: { headers, query: z.strictObject(pageQuery) },
  output: pageOf(widgetConversation),
  errors: [...visitErrors, 'CURSOR_INVALID'],
  exposure: { cors: 'own' },
  example: {
    headers: exampleHeaders,
    query: { limit: '20' },
    output: { data: [exampleWidgetConversation], nextCursor: null },
  },
  async handler({ headers: sent, query: { limit, cursor }, ctx }) {
    const { orgId, visitorId } = await requireVisit(ctx, sent);
    const [before] = decodeCursor(cursor, 1) ?? [];
    if (before !== undefined && !/^\d{1,9}$/.test(before)) throw apiError('CURSOR_INVALID');
    const earlier = before === undefined ? {} : { ordinal: { $lt: Number(before) } };
    const conversations = await ConversationModel.find({ orgId, visitorId, ...earlier })
      .sort({ ordinal: -1 })
      .limit(limit + 1)
      .lean<ConversationDocument[]>();
    return toPage(conversations, limit, ({ ordinal }) => [String(ordinal)], toVisitorConversation);
  },
});

/**
 * GET /v1/widget/messages: messages of the current conversation, or of another one of the visitor, in ascending order:
 * those after `after`, before `before`, or the latest. Never includes internal notes.
 */
export const listWidgetMessages = defineAction({
  rest: 'GET /v1/widget/messages',
  summary: "List the messages of the visitor's conversation",
  description:
    "Returns the messages of the visitor's current conversation, or of another one, in ascending order: those " +
    'after the number `after`, those before `before`, or the latest. Internal notes are never included and have no ' +
    'number.',
  permission: 'public',
  input: { query: z.strictObject({ ...messagesQuery, conversationId }), headers },
  output: z
    .strictObject({
      data: z.array(widgetMessage),
      /** Whether there are further ones: later ones with `after`, otherwise earlier ones. */
      hasMore: z.boolean(),
      /** Null before the first message. */
      conversation: widgetConversation.nullable(),
      agentsOnline: z.boolean(),
    })
    .meta({ id: 'WidgetMessageList' }),
  errors: [...visitErrors, 'NOT_FOUND'],
  exposure: { cors: 'own' },
  example: {
    headers: exampleHeaders,
    query: { after: '0' },
    output: {
      data: [exampleWidgetMessage],
      hasMore: false,
      conversation: { ...exampleWidgetConversation, lastSeq: 1, unreadCount: 0 },
      agentsOnline: true,
    },
  },
  async handler({ query: { conversationId: id, ...query }, headers: sent, ctx }) {
    const visit = await requireVisit(ctx, sent);
    const conversation = await findOwn(visit, id);
    const agentsOnline = await isAnyAgentOnline(visit.orgId);
    if (!conversation) return { data: [], hasMore: false, conversation: null, agentsOnline };
    const { messages, hasMore } = await readMessages(conversation, 'publicSeq', query);
    const data = messages.map(toVisitorMessage);
    return { data, hasMore, conversation: toVisitorConversation(conversation), agentsOnline };
  },
});

/**
 * POST /v1/widget/messages: adds a message of the visitor. It reopens a conversation that was closed within 7 days;
 * otherwise it begins a new one. `name` and `email` are contact data and link to no customer.
 */
export const createWidgetMessage = defineAction({
  rest: 'POST /v1/widget/messages',
  summary: 'Send a message as the visitor',
  description:
    'Sends a message of the visitor. It reopens a conversation that was closed within seven days; otherwise it ' +
    'begins a new one. `echoId` makes it safe to send again: a repetition adds nothing and gets the first answer. ' +
    'A visitor can send 30 messages a minute.',
  permission: 'public',
  input: {
    body: z
      .strictObject({
        text: messageText.optional().describe('The text, at most 5,000 characters. Required without attachments.'),
        attachments: attachmentIds.optional(),
        /** The idempotency key of the message. */
        echoId: echoIdInput,
        name: visitorName.optional().describe('The name of the visitor. It is not verified.'),
        email: emailInput.optional().describe('The email address of the visitor. It is not verified.'),
      })
      .meta({ id: 'WidgetMessageInput' }),
    headers,
  },
  output: widgetMessage,
  errors: [...visitErrors, 'IDEMPOTENCY_MISMATCH'],
  exposure: { cors: 'own' },
  limits: { bodyBytes: 32 * 1024 },
  example: {
    headers: exampleHeaders,
    body: { text: exampleWidgetMessage.text, echoId: 'b0a2f7f2' },
    output: exampleWidgetMessage,
  },
  async handler({ body, headers: sent, ctx }) {
    const visit = await requireVisit(ctx, sent, true);
    const { orgId, visitorId } = visit;
    const { text = '', attachments: ids = [], echoId } = body;
    requireContent(text, ids);
    await countVisitor(ctx, 'messages', { orgId, visitorId });
    const attachments = await takeAttachments(ctx, orgId, visitorId, ids);
    const visitor = await storeSender(ctx, visit, body);
    const message = { id: newId('cmsg'), echoKey: `visitor:${visitorId}:${echoId}`, text, attachments };
    const { conversation, message: added, isNew } = await postOfVisitor(visitor, message);
    await requireNotErased(ctx, visit.claims, () => removeTraces(orgId, visitorId));
    if (isNew) await announceMessage(ctx, conversation, added);
    return toVisitorMessage(added);
  },
});

/** POST /v1/widget/read: marks messages as read by the visitor; visible to the agents. */
export const readWidgetUpTo = defineAction({
  rest: 'POST /v1/widget/read',
  summary: "Mark the visitor's conversation as read up to a message",
  description:
    'Records that the visitor has read up to a message; the agents see it. A number below the present one changes ' +
    'nothing.',
  permission: 'public',
  input: {
    body: z
      .strictObject({ seq: z.int().min(1).describe('The number of the last message that was read.'), conversationId })
      .meta({ id: 'WidgetReadPositionInput' }),
    headers,
  },
  output: widgetConversation,
  errors: [...visitErrors, 'NOT_FOUND'],
  exposure: { cors: 'own' },
  example: {
    headers: exampleHeaders,
    body: { seq: 2 },
    output: { ...exampleWidgetConversation, unreadCount: 0, readSeq: 2 },
  },
  async handler({ body: { seq, conversationId: id }, headers: sent, ctx }) {
    const conversation = await requireOwn(await requireVisit(ctx, sent), id);
    const read = await markRead(conversation, 'visitor', seq);
    if (read) await announceRead(ctx, read.conversation, { by: 'visitor', ...read });
    return toVisitorConversation(read?.conversation ?? conversation);
  },
});

/** POST /v1/widget/typing: shows the agents that the visitor is typing. Nothing is stored. */
export const widgetTyping = defineAction({
  rest: 'POST /v1/widget/typing',
  summary: 'Show that the visitor is typing',
  description: 'Shows the agents for a moment that the visitor is typing. Nothing is stored.',
  permission: 'public',
  input: { headers },
  output: z.void(),
  errors: [...visitErrors],
  exposure: { cors: 'own' },
  example: { headers: exampleHeaders },
  async handler({ headers: sent, ctx }) {
    const conversation = await findOwn(await requireVisit(ctx, sent), undefined);
    if (conversation) await announceTyping(ctx, conversation, { by: 'visitor', name: conversation.customerName });
  },
});

/** Deletes what a visitor wrote to an organization that no longer exists; its erasure deletes the rest. */
async function removeTraces(orgId: string, visitorId: string): Promise<void> {
  const conversations = await ConversationModel.find({ orgId, visitorId }, { _id: 1 }).limit(maxBatchSize).lean();
  const ids = { $in: conversations.map(({ _id }) => _id) };
  await ConversationModel.deleteMany({ orgId, _id: ids });
  await deleteInBatches(MessageModel, { orgId, conversationId: ids }, maxBatchSize);
  await VisitorModel.deleteOne({ orgId, _id: visitorId });
}

/** Finds a conversation of the visitor, by default the current one; null before the first. Throws NOT_FOUND. */
async function findOwn({ orgId, visitorId }: Visit, id: string | undefined): Promise<ConversationDocument | null> {
  if (id === undefined) return await findPresent(orgId, visitorId);
  const found = await ConversationModel.findOne({ orgId, _id: id, visitorId }).lean<ConversationDocument>();
  if (!found) throw apiError('NOT_FOUND', { message: 'No conversation has this id.' });
  return found;
}

async function requireOwn(visit: Visit, id: string | undefined): Promise<ConversationDocument> {
  const found = await findOwn(visit, id);
  if (!found) throw apiError('NOT_FOUND', { message: 'The visitor has no conversation yet.' });
  return found;
}

type Given = { name?: string | undefined; email?: string | undefined };

/** Stores the visitor's record with the first message, and again after retention or an erasure. */
async function storeSender(ctx: Ctx, { claims, orgId, visitorId }: Visit, contact: Given): Promise<VisitorDocument> {
  const { siteId, user, locale = null } = claims;
  const about = { orgId, siteId, locale, network: networkHash(ctx) };
  const [name, email] = [contact.name ?? claims.name ?? null, contact.email ?? claims.email ?? null];
  if (!user) return await storeVisitor(visitorId, { ...about, name, email });
  const found = await VisitorModel.findOne({ orgId, _id: visitorId }).lean<VisitorDocument>();
  if (found) return found;
  const signed = { userId: user.id, identifiers: identifiersOf(user), email: user.email ?? null };
  const stored = await storeIdentified({ ...about, name, ...signed }, visitorId);
  // The person has begun another session since, with another id.
  if (stored._id !== visitorId) throw apiError('CREDENTIAL_INVALID');
  return stored;
}
