import type { Context } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { storedEmailsOf } from '../../../lib/email-address.ts';
import { idPattern } from '../../../lib/ids.ts';
import { deleteInBatches } from '../../../lib/remove-up-to.ts';
import { AgentModel } from '../../../models/connect/agent.ts';
import { AttachmentModel } from '../../../models/connect/attachment.ts';
import { BlockModel } from '../../../models/connect/block.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { MessageModel } from '../../../models/connect/message.ts';
import { RateWindowModel } from '../../../models/connect/rate-window.ts';
import { SiteModel } from '../../../models/connect/site.ts';
import { type VisitorDocument, VisitorModel } from '../../../models/connect/visitor.ts';
import { removeAttachmentsOf } from '../attachments/attachments.ts';
import { removeConversation } from './remove.ts';

/** The maximum of documents that one call deletes. */
const maxPerCall = 5000;
/** The maximum per call for a customer, whose files are deleted one by one. */
const maxOfCustomer = 1000;
const maxConversations = 50;
const maxVisitors = 500;

const orgId = z.string().regex(idPattern('org'));

/**
 * `connect.organizations.erase`, for the deletion of an organization. Deletes the sites first, so that visitors can no
 * longer write. Storage erases the files, and billing the seats. Repeatable; called until it is complete.
 */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's sites, agents and conversations",
  permission: 'internal',
  input: { body: z.strictObject({ orgId }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  limits: { milliseconds: 60_000 },
  async handler({ body }) {
    let allowance = maxPerCall;
    const models = [SiteModel, AgentModel, ConversationModel, MessageModel, VisitorModel, AttachmentModel, BlockModel];
    for (const model of [...models, RateWindowModel]) {
      allowance -= await deleteInBatches(model, { orgId: body.orgId }, allowance);
      if (allowance <= 0) return { isComplete: false };
    }
    const left = await ConversationModel.exists({ orgId: body.orgId });
    return { isComplete: left === null };
  },
});

/**
 * `connect.customers.erase`, for the erasure of a customer: deletes the conversations and records of visitors whose
 * signed identity has one of the identifiers, and of anonymous visitors who gave one of the email addresses. `erased`:
 * whether this call found any. Repeatable; called until it is complete.
 */
export const eraseCustomer = defineAction({
  summary: 'Remove the conversations of a customer',
  permission: 'internal',
  input: { body: z.strictObject({ orgId, identifiers: z.array(z.string()).min(1).max(1000) }) },
  output: z.strictObject({ isComplete: z.boolean(), erased: z.boolean() }),
  limits: { milliseconds: 60_000 },
  async handler({ body: { orgId: organization, identifiers }, ctx }) {
    const emails = storedEmailsOf(identifiers);
    const signed = { identifiers: { $in: [...identifiers, ...emails.map((email) => `email:${email}`)] } };
    const anonymous = { userId: null, email: { $in: emails } };
    const visitors = await VisitorModel.find({ orgId: organization, $or: [signed, anonymous] })
      .limit(maxVisitors)
      .lean<VisitorDocument[]>();
    const visitorId = { $in: visitors.map(({ _id }) => _id) };
    const conversations = await ConversationModel.find({ orgId: organization, $or: [signed, { visitorId }] })
      .limit(maxConversations)
      .lean<ConversationDocument[]>();
    const erased = visitors.length + conversations.length > 0;
    let isComplete = conversations.length < maxConversations;
    let allowance = maxOfCustomer;
    for (const conversation of conversations) {
      const removal = await removeConversation(ctx, conversation, allowance);
      allowance -= removal.removed;
      isComplete &&= removal.isComplete;
      if (allowance <= 0) break;
    }
    if (!isComplete || allowance <= 0) return { isComplete: false, erased };
    // The visitor records are deleted last: while one exists, its visitor may begin a conversation, which must be
    // erased too.
    for (const { _id } of visitors) {
      allowance -= await removeVisitor(ctx, organization, _id, allowance);
      if (allowance <= 0) return { isComplete: false, erased };
    }
    const isLeft = (await ConversationModel.exists({ orgId: organization, ...signed })) !== null;
    return { isComplete: !isLeft && visitors.length < maxVisitors, erased };
  },
});

/**
 * Deletes about `most` of a visitor's files, and then the record; returns the number of deleted files and documents.
 */
async function removeVisitor(
  ctx: Pick<Context, 'call'>,
  organization: string,
  visitorId: string,
  most: number,
): Promise<number> {
  const removed = await removeAttachmentsOf(ctx, organization, { folder: visitorId }, most);
  if (removed >= most) return removed;
  return removed + (await VisitorModel.deleteOne({ orgId: organization, _id: visitorId })).deletedCount;
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'connect.organizations.erase': typeof eraseOrganization;
    'connect.customers.erase': typeof eraseCustomer;
  }
}
