import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import { now } from '../../../lib/data/clock.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { findAgent, requireAgent } from '../agents.ts';
import {
  conversationOutput,
  conversationPath,
  conversationStatus,
  exampleConversation,
  findConversation,
  toConversationResponse,
} from './conversations.ts';
import { announceConversation, announceLooking, announceRead, announceTyping } from './hints.ts';
import { markRead } from './messages.ts';

/** PATCH /v1/conversations/:id: changes the status and the assignee, who must be an agent. */
export const updateConversation = defineAction({
  rest: 'PATCH /v1/conversations/:id',
  summary: 'Change the status or the assignee of a conversation',
  description:
    'Changes the status of a conversation, or the agent it is assigned to; null removes the assignee. The assignee ' +
    'must be an agent of the organization.',
  permission: 'connect.write',
  tenant: 'required',
  input: {
    path: conversationPath,
    body: z
      .strictObject({
        status: conversationStatus.optional(),
        /** Null: unassigned. */
        assigneeId: z.string().max(100).nullable().optional(),
      })
      .meta({ id: 'ConversationUpdateInput' }),
  },
  output: conversationOutput,
  errors: ['NOT_FOUND', 'AGENT_REQUIRED'],
  example: {
    path: { id: exampleConversation.conversationId },
    body: { status: 'closed' },
    output: { ...exampleConversation, status: 'closed' },
  },
  async handler({ path, body: { status, assigneeId }, caller, ctx }) {
    await requireAgent(caller);
    const { orgId } = caller;
    const before = await findConversation(orgId, path.id);
    if (assigneeId && !(await findAgent(orgId, assigneeId))) {
      throw inputError([
        { path: 'body.assigneeId', message: 'Must be an agent of the organization; see /v1/connect/agents.' },
      ]);
    }
    if (status === undefined && assigneeId === undefined) return toConversationResponse(before);
    const changes = {
      ...(assigneeId !== undefined && { assigneeId }),
      ...(status !== undefined && status !== before.status && { status, closedAt: status === 'closed' ? now() : null }),
      updatedAt: now(),
    };
    const after = await ConversationModel.findOneAndUpdate(
      { orgId, _id: before._id },
      { $set: changes },
      { returnDocument: 'after' },
    ).lean<ConversationDocument>();
    if (!after) throw apiError('NOT_FOUND');
    await announceConversation(ctx, after);
    return toConversationResponse(after);
  },
});

/** POST /v1/conversations/:id/read: marks messages as read by the agents; visible to the visitor. */
export const readUpTo = defineAction({
  rest: 'POST /v1/conversations/:id/read',
  summary: 'Mark a conversation as read up to a message',
  description:
    'Records that the agents have read up to a message; the visitor sees it. A number below the present one ' +
    'changes nothing.',
  permission: 'connect.write',
  tenant: 'required',
  input: {
    path: conversationPath,
    body: z
      .strictObject({ seq: z.int().min(1).describe('The number of the last message that was read.') })
      .meta({ id: 'ReadPositionInput' }),
  },
  output: conversationOutput,
  errors: ['NOT_FOUND', 'AGENT_REQUIRED'],
  example: {
    path: { id: exampleConversation.conversationId },
    body: { seq: 1 },
    output: { ...exampleConversation, unreadCount: 0, agentReadSeq: 1 },
  },
  async handler({ path, body: { seq }, caller, ctx }) {
    await requireAgent(caller);
    const conversation = await findConversation(caller.orgId, path.id);
    const read = await markRead(conversation, 'agent', seq);
    if (read) await announceRead(ctx, read.conversation, { by: 'agent', ...read });
    return toConversationResponse(read?.conversation ?? conversation);
  },
});

/** POST /v1/conversations/:id/typing: shows the visitor that an agent is typing. Nothing is stored. */
export const typing = defineAction({
  rest: 'POST /v1/conversations/:id/typing',
  summary: 'Show that an agent is typing',
  description: 'Shows the visitor for a moment that an agent is typing. Nothing is stored.',
  permission: 'connect.write',
  tenant: 'required',
  input: { path: conversationPath },
  output: z.void(),
  errors: ['NOT_FOUND', 'AGENT_REQUIRED'],
  example: { path: { id: exampleConversation.conversationId } },
  async handler({ path, caller, ctx }) {
    const { id: userId, name } = await requireAgent(caller);
    const conversation = await findConversation(caller.orgId, path.id);
    await announceTyping(ctx, conversation, { by: 'agent', userId, name });
  },
});

/** POST /v1/conversations/:id/looking: shows the other agents who has a conversation open. Nothing is stored. */
export const looking = defineAction({
  rest: 'POST /v1/conversations/:id/looking',
  summary: 'Show that an agent has a conversation open',
  description:
    'Shows the other agents that an agent has opened a conversation, or has left it. Repeat it every few seconds while ' +
    'the conversation is open: a reader of the event `looking` forgets an agent after 12 seconds. Nothing is stored.',
  permission: 'connect.read',
  safe: true,
  tenant: 'required',
  input: {
    path: conversationPath,
    body: z
      .strictObject({ looking: z.boolean().describe('Whether the agent has the conversation open.') })
      .meta({ id: 'LookingInput' }),
  },
  output: z.void(),
  errors: ['NOT_FOUND', 'AGENT_REQUIRED'],
  example: { path: { id: exampleConversation.conversationId }, body: { looking: true } },
  async handler({ path, body, caller, ctx }) {
    const { id: userId } = await requireAgent(caller);
    await announceLooking(ctx, await findConversation(caller.orgId, path.id), { userId, looking: body.looking });
  },
});
