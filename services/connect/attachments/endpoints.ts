import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { call } from '../../../lib/calls.ts';
import { apiError } from '../../../lib/errors.ts';
import { pathId } from '../../../lib/path-text.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { requireAgent } from '../agents/agents.ts';
import { conversationPath, exampleConversation, findConversation } from '../conversations/conversations.ts';
import { countVisitor, visitorBytesOf } from '../visitors/rate-limits.ts';
import { requireVisit, visitErrors, visitHeaders } from '../visitors/visit.ts';
import {
  downloadOutput,
  exampleDownload,
  exampleUpload,
  newAttachment,
  openDownload,
  openUpload,
  uploadOutput,
} from './attachments.ts';

const id = exampleConversation.conversationId;
const file = { fileName: 'saddle.png', mimeType: 'image/png', size: 48_120 };
const headers = visitHeaders;
const exampleHeaders = { authorization: 'Bearer eyJvcmdJZCI6Im9yZ18.b2Y' };

/** POST /v1/conversations/:id/attachments: signs a URL to which an agent PUTs a file for a message. */
export const createAttachment = defineAction({
  rest: 'POST /v1/conversations/:id/attachments',
  summary: 'Sign an address for a file of an answer',
  permission: 'connect.write',
  tenant: 'required',
  input: { path: conversationPath, body: newAttachment },
  output: uploadOutput,
  errors: ['NOT_FOUND', 'AGENT_REQUIRED'],
  example: { path: { id }, body: file, output: exampleUpload },
  async handler({ path, body, caller, ctx }) {
    await requireAgent(caller);
    const { orgId, _id: folder } = await findConversation(caller.orgId, path.id);
    return await openUpload(ctx, { orgId, folder, byVisitor: false }, body);
  },
});

/** GET /v1/conversations/:id/attachments/:attachmentId: signs a URL that reads a file for 5 minutes. */
export const readAttachment = defineAction({
  rest: 'GET /v1/conversations/:id/attachments/:attachmentId',
  summary: 'Sign an address to read a file of a conversation',
  permission: 'connect.read',
  tenant: 'required',
  input: { path: conversationPath.extend({ attachmentId: pathId('obj') }) },
  output: downloadOutput,
  errors: ['NOT_FOUND', 'AGENT_REQUIRED'],
  example: { path: { id, attachmentId: exampleUpload.attachmentId }, output: exampleDownload },
  async handler({ path, caller, ctx }) {
    await requireAgent(caller);
    const conversation = await findConversation(caller.orgId, path.id);
    return await openDownload(ctx, conversation, path.attachmentId, () => true);
  },
});

/** POST /v1/widget/attachments: signs a URL to which the visitor PUTs a file for a message. */
export const createWidgetAttachment = defineAction({
  rest: 'POST /v1/widget/attachments',
  summary: 'Sign an address for a file of the visitor',
  permission: 'public',
  input: { body: newAttachment, headers },
  output: uploadOutput,
  errors: [...visitErrors],
  exposure: { cors: 'own' },
  example: { headers: exampleHeaders, body: file, output: exampleUpload },
  async handler({ body, headers: sent, ctx }) {
    const { orgId, visitorId } = await requireVisit(ctx, sent);
    await countVisitor(ctx, 'files', { orgId, visitorId });
    const { entitlements } = await call(ctx, 'billing.entitlements.describe', { body: { orgId } });
    const storage = entitlements?.storage;
    const mostOfOrganization = visitorBytesOf(storage?.enabled ? storage.storageGb : null);
    await countVisitor(ctx, 'bytes', { orgId, visitorId, amount: body.size, mostOfOrganization });
    return await openUpload(ctx, { orgId, folder: visitorId, byVisitor: true }, body);
  },
});

/** GET /v1/widget/attachments/:attachmentId: signs a URL by which the visitor reads a file for 5 minutes. */
export const readWidgetAttachment = defineAction({
  rest: 'GET /v1/widget/attachments/:attachmentId',
  summary: "Sign an address to read a file of the visitor's conversation",
  permission: 'public',
  input: {
    path: z.strictObject({ attachmentId: pathId('obj') }),
    query: z.strictObject({ conversationId: z.string() }),
    headers,
  },
  output: downloadOutput,
  errors: [...visitErrors, 'NOT_FOUND'],
  exposure: { cors: 'own' },
  example: {
    headers: exampleHeaders,
    path: { attachmentId: exampleUpload.attachmentId },
    query: { conversationId: id },
    output: exampleDownload,
  },
  async handler({ path: { attachmentId }, query: { conversationId }, headers: sent, ctx }) {
    const { orgId, visitorId } = await requireVisit(ctx, sent);
    const own = { orgId, _id: conversationId, visitorId };
    const conversation = await ConversationModel.findOne(own).lean<ConversationDocument>();
    if (!conversation) throw apiError('NOT_FOUND', { message: 'No conversation has this id.' });
    return await openDownload(ctx, conversation, attachmentId, ({ publicSeq }) => publicSeq !== null);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'connect.attachments.create': typeof createAttachment;
    'connect.attachments.read': typeof readAttachment;
    'connect.widget.create-attachment': typeof createWidgetAttachment;
    'connect.widget.read-attachment': typeof readWidgetAttachment;
  }
}
