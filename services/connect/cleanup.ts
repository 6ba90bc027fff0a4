import { z } from 'zod';
import { type CallContext, call } from '../../lib/contract/context.ts';
import { customerErasureInput, customerErasureOutput } from '../../lib/contract/customer-erasure.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { organizationId } from '../../lib/contract/input.ts';
import { day, fromNow } from '../../lib/data/clock.ts';
import { deleteInBatches } from '../../lib/data/collection.ts';
import { pagesByInstant, type Sweep, sweepInTurns, tenantsOf } from '../../lib/data/sweep.ts';
import { storedEmailsOf } from '../../lib/format/email-address.ts';
import { AgentModel } from '../../models/connect/agent.ts';
import { AttachmentModel } from '../../models/connect/attachment.ts';
import { BlockModel } from '../../models/connect/block.ts';
import { type ConversationDocument, ConversationModel } from '../../models/connect/conversation.ts';
import { type MessageDocument, MessageModel } from '../../models/connect/message.ts';
import { RateWindowModel } from '../../models/connect/rate-window.ts';
import { SavedReplyModel } from '../../models/connect/saved-reply.ts';
import { SiteModel } from '../../models/connect/site.ts';
import { type VisitorDocument, VisitorModel } from '../../models/connect/visitor.ts';
import { removeAttachments, removeAttachmentsOf } from './attachments.ts';

/** Small, because a message may have ten files, which are deleted one by one. */
const messageBatchSize = 100;

/** `removed`: the number of deleted documents. `isComplete`: whether the conversation is deleted. */
export type Removal = { removed: number; isComplete: boolean };

/**
 * Deletes about `most` of a conversation's messages and files, and then the conversation. It is deleted last, because
 * it marks unfinished work, and stays if it has a new message since it was read.
 */
export async function removeConversation(
  ctx: CallContext,
  conversation: ConversationDocument,
  most: number,
): Promise<Removal> {
  const { orgId, _id, lastSeq, last } = conversation;
  if (!(await ConversationModel.exists({ orgId, _id, lastSeq }))) return { removed: 0, isComplete: false };
  let removed = await removeMessages(ctx, { orgId, conversationId: _id, seq: { $lte: lastSeq } }, most);
  removed += await removeAttachmentsOf(ctx, orgId, { folder: _id }, most - removed);
  if (removed >= most) return { removed, isComplete: false };
  removed += await removeFiles(ctx, orgId, [last]);
  const { deletedCount } = await ConversationModel.deleteOne({ orgId, _id, lastSeq });
  return { removed: removed + deletedCount, isComplete: deletedCount === 1 };
}

/** Deletes about `most` of the stored messages that a filter finds, after their files; returns the number of both. */
export async function removeMessages(
  ctx: CallContext,
  filter: { orgId: string; [field: string]: unknown },
  most: number,
): Promise<number> {
  const { orgId } = filter;
  let removed = 0;
  while (removed < most) {
    const batch = await MessageModel.find(filter)
      .limit(Math.min(messageBatchSize, most - removed))
      .lean<MessageDocument[]>();
    if (batch.length === 0) break;
    removed += await removeFiles(ctx, orgId, batch);
    removed += await deleteInBatches(MessageModel, { orgId, _id: { $in: batch.map(({ _id }) => _id) } }, batch.length);
  }
  return removed;
}

/** Deletes the files of messages; returns their number. */
async function removeFiles(ctx: CallContext, orgId: string, messages: MessageDocument[]): Promise<number> {
  const keys = messages.flatMap(({ attachments }) => attachments.map(({ key }) => key));
  if (keys.length > 0) await removeAttachments(ctx, orgId, keys);
  return keys.length;
}

const batch = 100;
const organizationConcurrency = 4;
/** The maximum of documents deleted per turn of an organization, so that none delays the others. */
const maxOfTurn = 500;

/** The turn of an organization. `left`: its remaining work; null before the first turn. */
type Turn = { _id: string; orgId: string; left: Left | null };

/**
 * The remaining work of an organization. `due`: the expired conversations that follow. `isAgain`: a previous one is not
 * completely deleted, so all are checked again.
 */
type Left = { orgId: string; until: Date; due: AsyncGenerator<ConversationDocument>; isAgain: boolean };

/**
 * Deletes data older than the retention of business context; organizations take turns, and within one its
 * conversations. Failures are retried in the next run.
 */
export async function sweepRetention(ctx: CallContext, sweep: Sweep, most = maxOfTurn): Promise<void> {
  await sweepInTurns(sweep, firstTurns(), organizationConcurrency, async (turn, again) => {
    const remaining = turn.left ?? (await findLeft(ctx, turn.orgId));
    if (!remaining) return;
    let isComplete = false;
    try {
      isComplete = await expireSome(ctx, remaining, most);
    } finally {
      // Also after a failure: the next turn begins after the conversation that failed.
      if (!isComplete) again({ ...turn, left: remaining });
    }
  });
}

async function* firstTurns(): AsyncGenerator<Turn[]> {
  for await (const page of tenantsOf([ConversationModel, MessageModel, VisitorModel, AttachmentModel])) {
    yield page.map((tenant) => ({ ...tenant, left: null }));
  }
}

async function findLeft(ctx: CallContext, orgId: string): Promise<Left | null> {
  const { days } = await call(ctx, 'context.retention.describe', { body: { orgId } });
  if (days === null) return null;
  const until = fromNow(-days * day);
  return { orgId, until, due: conversationsUntil(orgId, until), isAgain: false };
}

/** The conversations whose last message is older than `until`, oldest first. */
async function* conversationsUntil(orgId: string, until: Date): AsyncGenerator<ConversationDocument> {
  const due = { field: 'activeAt' as const, until, filter: { orgId } };
  for await (const page of pagesByInstant<ConversationDocument>(ConversationModel, due, batch)) yield* page;
}

/**
 * Deletes about `most` documents; returns whether none remain. Deletes a conversation whose last message expired; of
 * others only the expired messages.
 */
async function expireSome(ctx: CallContext, remaining: Left, most: number): Promise<boolean> {
  const { orgId, until } = remaining;
  const old = { createdAt: { $lte: until } };
  let allowance = most - (await removeDue(ctx, remaining, most));
  allowance -= await removeMessages(ctx, { orgId, ...old }, allowance);
  allowance -= await removeAttachmentsOf(ctx, orgId, old, allowance);
  allowance -= await deleteInBatches(VisitorModel, { orgId, lastSeenAt: { $lte: until } }, allowance);
  return allowance > 0;
}

/** A conversation that exceeds the turn continues after all others. */
async function removeDue(ctx: CallContext, remaining: Left, most: number): Promise<number> {
  let removed = 0;
  while (removed < most) {
    const { value: conversation } = await remaining.due.next();
    if (!conversation && !remaining.isAgain) break;
    if (!conversation) {
      remaining.due = conversationsUntil(remaining.orgId, remaining.until);
      remaining.isAgain = false;
      continue;
    }
    const removal = await removeConversation(ctx, conversation, most - removed);
    removed += removal.removed;
    remaining.isAgain ||= !removal.isComplete;
  }
  return removed;
}

/** The maximum of documents that one call deletes. */
const maxPerCall = 5000;
/** The maximum per call for a customer, whose files are deleted one by one. */
const maxOfCustomer = 1000;
const maxConversations = 50;
const maxVisitors = 500;

/**
 * `connect.organizations.erase`, for the deletion of an organization. Deletes the sites first, so that visitors can no
 * longer write. Storage erases the files, and billing the seats. Repeatable; called until it is complete.
 */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's sites, agents and conversations",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: organizationId }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  limits: { milliseconds: 60_000 },
  async handler({ body }) {
    let allowance = maxPerCall;
    const models = [SiteModel, AgentModel, ConversationModel, MessageModel, VisitorModel, AttachmentModel, BlockModel];
    for (const model of [...models, SavedReplyModel, RateWindowModel]) {
      allowance -= await deleteInBatches(model, { orgId: body.orgId }, allowance);
      if (allowance <= 0) return { isComplete: false };
    }
    const remaining = await ConversationModel.exists({ orgId: body.orgId });
    return { isComplete: remaining === null };
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
  input: customerErasureInput,
  output: customerErasureOutput,
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
async function removeVisitor(ctx: CallContext, organization: string, visitorId: string, most: number): Promise<number> {
  const removed = await removeAttachmentsOf(ctx, organization, { folder: visitorId }, most);
  if (removed >= most) return removed;
  return removed + (await VisitorModel.deleteOne({ orgId: organization, _id: visitorId })).deletedCount;
}
