import type { Context } from 'moleculer';
import { call } from '../../../lib/calls.ts';
import { day, fromNow } from '../../../lib/clock.ts';
import { deleteInBatches } from '../../../lib/remove-up-to.ts';
import { pagesByInstant, type Sweep, sweepInTurns, tenantsOf } from '../../../lib/sweep.ts';
import { AttachmentModel } from '../../../models/connect/attachment.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { MessageModel } from '../../../models/connect/message.ts';
import { VisitorModel } from '../../../models/connect/visitor.ts';
import { removeAttachmentsOf } from '../attachments/attachments.ts';
import { removeConversation, removeMessages } from './remove.ts';

type CallContext = Pick<Context, 'call'>;

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
    const left = turn.left ?? (await findLeft(ctx, turn.orgId));
    if (!left) return;
    let isComplete = false;
    try {
      isComplete = await expireSome(ctx, left, most);
    } finally {
      // Also after a failure: the next turn begins after the conversation that failed.
      if (!isComplete) again({ ...turn, left });
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
async function expireSome(ctx: CallContext, left: Left, most: number): Promise<boolean> {
  const { orgId, until } = left;
  const old = { createdAt: { $lte: until } };
  let allowance = most - (await removeDue(ctx, left, most));
  allowance -= await removeMessages(ctx, { orgId, ...old }, allowance);
  allowance -= await removeAttachmentsOf(ctx, orgId, old, allowance);
  allowance -= await deleteInBatches(VisitorModel, { orgId, lastSeenAt: { $lte: until } }, allowance);
  return allowance > 0;
}

/** A conversation that exceeds the turn continues after all others. */
async function removeDue(ctx: CallContext, left: Left, most: number): Promise<number> {
  let removed = 0;
  while (removed < most) {
    const { value: conversation } = await left.due.next();
    if (!conversation && !left.isAgain) break;
    if (!conversation) {
      left.due = conversationsUntil(left.orgId, left.until);
      left.isAgain = false;
      continue;
    }
    const removal = await removeConversation(ctx, conversation, most - removed);
    removed += removal.removed;
    left.isAgain ||= !removal.isComplete;
  }
  return removed;
}
