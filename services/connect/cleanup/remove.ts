import type { Context } from 'moleculer';
import { deleteInBatches } from '../../../lib/remove-up-to.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { type MessageDocument, MessageModel } from '../../../models/connect/message.ts';
import { removeAttachments, removeAttachmentsOf } from '../attachments/attachments.ts';

type CallContext = Pick<Context, 'call'>;

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
