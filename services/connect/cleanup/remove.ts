import type { Context } from 'moleculer';
import { deleteInBatches } from '../../../lib/remove-up-to.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { type MessageDocument, MessageModel } from '../../../models/connect/message.ts';
import { removeAttachments, removeAttachmentsOf } from '../attachments/attachments.ts';

type CallContext = Pick<Context, 'call'>;

/** A message may have ten files, each of which is removed by itself. */
const messageBatchSize = 100;

/** `removed`: how many documents. `isComplete`: whether the conversation is gone. */
export type Removal = { removed: number; isComplete: boolean };

/**
 * Removes about `most` of a conversation's messages and files, and the conversation itself when none is left. It goes
 * last, because it marks that work is left. It stays when it has another message than when it was read.
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

/**
 * Removes about `most` of the stored messages that a filter finds, with their files, which go first, and returns how many
 * of both.
 */
export async function removeMessages(
  ctx: CallContext,
  filter: { orgId: string; [field: string]: unknown },
  most: number,
): Promise<number> {
  const { orgId } = filter;
  let removed = 0;
  while (removed < most) {
    const some = await MessageModel.find(filter)
      .limit(Math.min(messageBatchSize, most - removed))
      .lean<MessageDocument[]>();
    if (some.length === 0) break;
    removed += await removeFiles(ctx, orgId, some);
    removed += await deleteInBatches(MessageModel, { orgId, _id: { $in: some.map(({ _id }) => _id) } }, some.length);
  }
  return removed;
}

/** Returns how many files the messages name. */
async function removeFiles(ctx: CallContext, orgId: string, messages: MessageDocument[]): Promise<number> {
  const keys = messages.flatMap(({ attachments }) => attachments.map(({ key }) => key));
  if (keys.length > 0) await removeAttachments(ctx, orgId, keys);
  return keys.length;
}
