import { z } from 'zod';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { inputError } from '../../../lib/contract/errors.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import type { ConversationDocument } from '../../../models/connect/conversation.ts';
import type { Attachment, Author } from '../../../models/connect/message.ts';
import { type Member, requireAgent } from '../agents.ts';
import { attachmentIds, takeAttachments } from '../attachments.ts';
import { append, type Draft } from './append.ts';
import { conversationPath, exampleConversation, findConversation } from './conversations.ts';
import { announceMessage } from './hints.ts';
import {
  echoIdInput,
  exampleMessage,
  messageOutput,
  messagesQuery,
  messageText,
  readMessages,
  toMessageResponse,
} from './messages.ts';

const path = conversationPath;
const examplePath = { id: exampleConversation.conversationId };
const grace = { type: 'agent', id: exampleConversation.assigneeId, name: 'Grace' } as const;
const exampleReply = { ...exampleMessage, seq: 2, author: grace, text: 'It does.' };

/**
 * GET /v1/conversations/:id/messages: messages and notes in ascending order: those after `after`, before `before`, or
 * the latest. A read after a number is complete: numbers have no gaps.
 */
export const listMessages = defineAction({
  rest: 'GET /v1/conversations/:id/messages',
  summary: 'List the messages of a conversation',
  description:
    'Returns messages and internal notes in ascending order: those after the number `after`, those before ' +
    '`before`, or the latest. Numbers have no gaps, so a reader who has seen number 7 continues with `after=7` and ' +
    'misses nothing.',
  permission: 'connect.read',
  tenant: 'required',
  input: { path, query: z.strictObject(messagesQuery) },
  output: z
    .strictObject({
      data: z.array(messageOutput),
      /** Whether there are further ones: later ones with `after`, otherwise earlier ones. */
      hasMore: z.boolean(),
      lastSeq: z.int(),
      agentReadSeq: z.int(),
      visitorReadSeq: z.int(),
    })
    .meta({ id: 'MessageList' }),
  errors: ['NOT_FOUND', 'AGENT_REQUIRED'],
  example: {
    path: examplePath,
    query: { after: '0' },
    output: { data: [exampleMessage], hasMore: false, lastSeq: 1, agentReadSeq: 0, visitorReadSeq: 0 },
  },
  async handler({ path: { id }, query, caller }) {
    await requireAgent(caller);
    const conversation = await findConversation(caller.orgId, id);
    const { messages, hasMore } = await readMessages(conversation, 'seq', query);
    const { lastSeq, agentReadSeq, visitorReadSeq } = conversation;
    return { data: messages.map(toMessageResponse), hasMore, lastSeq, agentReadSeq, visitorReadSeq };
  },
});

/** POST /v1/conversations/:id/messages: answers the visitor. The first agent who answers becomes the assignee. */
export const reply = defineAction({
  rest: 'POST /v1/conversations/:id/messages',
  summary: 'Answer in a conversation',
  description:
    'Sends a message to the visitor, with text, files or both. It reopens a closed conversation and assigns an ' +
    'unassigned one to the agent who writes. A repetition with the same `echoId` adds nothing and gets the first ' +
    'answer; another message with it is `IDEMPOTENCY_MISMATCH`.',
  permission: 'connect.write',
  tenant: 'required',
  input: {
    path,
    body: z
      .strictObject({
        text: messageText.optional().describe('The text, at most 5,000 characters. Required without attachments.'),
        attachments: attachmentIds.optional(),
        echoId: echoIdInput.optional(),
      })
      .meta({ id: 'MessageInput' }),
  },
  output: messageOutput,
  status: 201,
  errors: ['NOT_FOUND', 'AGENT_REQUIRED', 'IDEMPOTENCY_MISMATCH'],
  // The echo key is derived from the input or from the operation, so a message is added once.
  idempotent: { resume: 'rerun' },
  example: { path: examplePath, body: { text: exampleReply.text, echoId: 'b0a2f7f2' }, output: exampleReply },
  async handler({ path: { id }, body, caller, operation, ctx }) {
    const author = await requireAgent(caller);
    const { text = '', attachments: ids = [], echoId } = body;
    const conversation = await findConversation(caller.orgId, id);
    requireContent(text, ids);
    const attachments = await takeAttachments(ctx, conversation.orgId, conversation._id, ids);
    return await addAs(ctx, { caller, conversation, operation }, { author, text, attachments, echoId, isNote: false });
  },
});

/** POST /v1/conversations/:id/notes: adds an internal note, which the visitor never sees. */
export const addNote = defineAction({
  rest: 'POST /v1/conversations/:id/notes',
  summary: 'Add an internal note to a conversation',
  description:
    'Adds a note for the other agents, which the visitor never sees. A repetition with the same `echoId` adds ' +
    'nothing and gets the first answer.',
  permission: 'connect.write',
  tenant: 'required',
  input: {
    path,
    body: z
      .strictObject({
        text: messageText.regex(/[^\s]/, 'Required.'),
        echoId: echoIdInput.optional(),
      })
      .meta({ id: 'NoteInput' }),
  },
  output: messageOutput,
  status: 201,
  errors: ['NOT_FOUND', 'AGENT_REQUIRED', 'IDEMPOTENCY_MISMATCH'],
  idempotent: { resume: 'rerun' },
  example: {
    path: examplePath,
    body: { text: 'Ask the workshop.' },
    output: { ...exampleReply, type: 'note', text: 'Ask the workshop.' },
  },
  async handler({ path: { id }, body: { text, echoId }, caller, operation, ctx }) {
    const author = await requireAgent(caller);
    const conversation = await findConversation(caller.orgId, id);
    return await addAs(
      ctx,
      { caller, conversation, operation },
      { author, text, attachments: [], echoId, isNote: true },
    );
  },
});

/** Throws INPUT_INVALID for a message without text and attachments. */
export function requireContent(text: string, attachments: string[]): void {
  if (text.length > 0 || attachments.length > 0) return;
  throw inputError([{ path: 'body.text', message: 'Required without attachments.' }]);
}

type Place = { caller: Member; conversation: ConversationDocument; operation: Operation };
type Written = { author: Author; text: string; attachments: Attachment[]; echoId: string | undefined; isNote: boolean };

async function addAs(
  ctx: Ctx,
  { caller, conversation: { orgId, _id }, operation }: Place,
  { echoId, ...written }: Written,
): Promise<z.output<typeof messageOutput>> {
  const id = operation.newId('cmsg');
  // Includes the author and the conversation, so that others cannot find the message by guessing the id.
  const echoKey = echoId === undefined ? id : `agent:${caller.id}:${_id}:${echoId}`;
  const draft: Draft = { id, echoKey, ...written };
  const { conversation, message, isNew } = await append(orgId, _id, draft, async () => {
    const present = await findConversation(orgId, _id);
    return { append: present, changes: draft.isNote ? {} : answerChanges(present, draft.author) };
  });
  if (isNew) await announceMessage(ctx, conversation, message);
  return toMessageResponse(message);
}

/** An answer reopens a closed conversation and assigns an unassigned one to its author. */
function answerChanges({ status, assigneeId }: ConversationDocument, { type, id }: Author) {
  return {
    ...(status === 'closed' && { status: 'open' as const, closedAt: null }),
    ...(assigneeId === null && type === 'agent' && { assigneeId: id }),
  };
}
