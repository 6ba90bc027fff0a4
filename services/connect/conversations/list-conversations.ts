import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { afterInstant, pageOf, pageQuery, singleLine, timestamp, toPage } from '../../../lib/contract/input.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { type VisitorDocument, VisitorModel } from '../../../models/connect/visitor.ts';
import { requireAgent } from '../agents.ts';
import { isVisitorOnline } from '../visitors/visitors.ts';
import {
  conversationOutput,
  conversationPath,
  conversationStatus,
  exampleConversation,
  findConversation,
  toConversationResponse,
} from './conversations.ts';
import { searchFilter } from './search.ts';

const id = z.string().min(1).max(256).optional();

/** GET /v1/conversations: the organization's conversations, latest message first. */
export const listConversations = defineAction({
  rest: 'GET /v1/conversations',
  summary: 'List conversations',
  description:
    'Returns the conversations of the organization, the latest message first, by status, agent, customer, ' +
    'website or unread messages if you filter, and those that `q` finds. A user has to be an agent (`AGENT_REQUIRED`); an application needs no seat.',
  permission: 'connect.read',
  tenant: 'required',
  input: {
    query: z.strictObject({
      ...pageQuery,
      status: conversationStatus.optional().describe('Only in this status.'),
      assigneeId: id.describe('Only of this agent; `none`: only without an assignee.'),
      customerId: id.describe('Only of this customer.'),
      siteId: id.describe('Only of this website.'),
      q: singleLine(256)
        .optional()
        .describe(
          'Only those that it finds: a conversation’s id, a customer’s id, a visitor’s email address, or the beginning of a ' +
            'name.',
        ),
      unread: z
        .enum(['true', 'false'], 'Must be true or false.')
        .optional()
        .describe('`true`: only with messages of the visitor that no agent has read; `false`: only without.'),
    }),
  },
  output: pageOf(conversationOutput),
  errors: ['CURSOR_INVALID', 'AGENT_REQUIRED'],
  example: { query: { limit: '20', status: 'open' }, output: { data: [exampleConversation], nextCursor: null } },
  async handler({ query, caller }) {
    await requireAgent(caller);
    const { limit, cursor, status, assigneeId, customerId, siteId, unread, q } = query;
    const filter = {
      orgId: caller.orgId,
      ...(status && { status }),
      ...(assigneeId && { assigneeId: assigneeId === 'none' ? null : assigneeId }),
      ...(customerId && { customerId }),
      ...(siteId && { siteId }),
      ...(unread && { agentUnread: unread === 'true' ? { $gt: 0 } : 0 }),
    };
    // Both of them may have alternatives.
    const conditions = [
      ...(q === undefined ? [] : [await searchFilter(caller.orgId, q)]),
      afterInstant(cursor, ['activeAt', '_id'], -1),
    ];
    const conversations = await ConversationModel.find({ ...filter, $and: conditions })
      .sort({ activeAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean<ConversationDocument[]>();
    return toPage(conversations, limit, ({ activeAt, _id }) => [activeAt.toISOString(), _id], toConversationResponse);
  },
});

/** A conversation with its visitor. `name` and `email` are unverified unless `isIdentified`. */
const wholeConversation = conversationOutput
  .extend({
    visitor: z
      .strictObject({
        visitorId: z.string(),
        name: z.string().nullable().describe('The name; null if unknown.'),
        email: z.string().nullable().describe('The email address; null if unknown.'),
        isIdentified: z.boolean(),
        locale: z.string().nullable().describe("The language of the visitor's browser; null if unknown."),
        online: z.boolean(),
        lastSeenAt: timestamp.nullable().describe('When the visitor was last present; null if unknown.'),
      })
      .describe('The visitor.'),
  })
  .meta({ id: 'ConversationDetails' });

/** GET /v1/conversations/:id: one conversation, with its visitor. */
export const readConversation = defineAction({
  rest: 'GET /v1/conversations/:id',
  summary: 'Read a conversation',
  description:
    'Returns one conversation with what is known of its visitor. Name and email are what the visitor typed, unless ' +
    '`isIdentified` is true.',
  permission: 'connect.read',
  tenant: 'required',
  input: { path: conversationPath },
  output: wholeConversation,
  errors: ['NOT_FOUND', 'AGENT_REQUIRED'],
  example: {
    path: { id: exampleConversation.conversationId },
    output: {
      ...exampleConversation,
      visitor: {
        visitorId: exampleConversation.visitorId,
        name: exampleConversation.customerName,
        email: 'jean@example.com',
        isIdentified: true,
        locale: 'en',
        online: true,
        lastSeenAt: exampleConversation.updatedAt,
      },
    },
  },
  async handler({ path, caller }) {
    await requireAgent(caller);
    const conversation = await findConversation(caller.orgId, path.id);
    const { orgId, visitorId } = conversation;
    const visitor = await VisitorModel.findOne({ orgId, _id: visitorId }).lean<VisitorDocument>();
    return {
      ...toConversationResponse(conversation),
      visitor: {
        visitorId,
        name: visitor?.name ?? null,
        email: visitor?.email ?? null,
        isIdentified: conversation.customerId !== null,
        locale: visitor?.locale ?? null,
        online: visitor !== null && isVisitorOnline(visitor),
        lastSeenAt: visitor?.lastSeenAt.toISOString() ?? null,
      },
    };
  },
});
