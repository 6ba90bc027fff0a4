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
/** The maximum number of documents that an organization gives up in its turn, so that none holds up the others. */
const maxOfTurn = 500;

/** The turn of an organization. `left`: null before the first. */
type Turn = { _id: string; orgId: string; left: Left | null };

/**
 * What an organization has to give up. `due`: the conversations after the previous one. `isAgain`: one of those before is
 * not removed completely, so all are looked at again.
 */
type Left = { orgId: string; until: Date; due: AsyncGenerator<ConversationDocument>; isAgain: boolean };

/**
 * Removes what is older than the retention of business context, in turns of the organizations, and within an organization
 * in turns of the conversations. What fails is left to the next run.
 */
export async function sweepRetention(ctx: CallContext, sweep: Sweep, most = maxOfTurn): Promise<void> {
  await sweepInTurns(sweep, firstTurns(), organizationConcurrency, async (turn, again) => {
    const left = turn.left ?? (await findLeft(ctx, turn.orgId));
    if (!left) return;
    let isComplete = false;
    try {
      isComplete = await expireSome(ctx, left, most);
    } finally {
      // After a failure too: the next turn begins after the conversation that failed.
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

/** The conversations whose last message is so old, the oldest first. */
async function* conversationsUntil(orgId: string, until: Date): AsyncGenerator<ConversationDocument> {
  const due = { field: 'activeAt' as const, until, filter: { orgId } };
  for await (const page of pagesByInstant<ConversationDocument>(ConversationModel, due, batch)) yield* page;
}

/**
 * Removes about `most` documents, and returns whether none are left. A conversation goes when its last message is too old;
 * of the others each older message goes.
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

/** A conversation that takes the rest of the turn goes on after all others. */
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
