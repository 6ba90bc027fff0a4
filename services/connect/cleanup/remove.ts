import type { Context } from 'moleculer';
import { maxStatement, removeUpTo } from '../../../lib/remove-up-to.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { type MessageDocument, MessageModel } from '../../../models/connect/message.ts';
import { removeAttachments, removeAttachmentsOf } from '../attachments/attachments.ts';

type Asking = Pick<Context, 'call'>;

/**
 * Removes a conversation with its messages and files; false when messages were added meanwhile. The conversation goes
 * last, because it marks that work is left.
 */
export async function removeConversation(ctx: Asking, conversation: ConversationDocument): Promise<boolean> {
  const { orgId, _id, lastSeq, last } = conversation;
  await removeFiles(ctx, orgId, [last]);
  await removeMessages(ctx, { orgId, conversationId: _id });
  while (!(await removeAttachmentsOf(ctx, orgId, { folder: _id })));
  const { deletedCount } = await ConversationModel.deleteOne({ orgId, _id, lastSeq });
  return deletedCount === 1;
}

/** Removes the stored messages that a filter finds, each part after its files. */
export async function removeMessages(ctx: Asking, filter: { orgId: string; [field: string]: unknown }): Promise<void> {
  const { orgId } = filter;
  for (;;) {
    const some = await MessageModel.find(filter).limit(maxStatement).lean<MessageDocument[]>();
    if (some.length === 0) return;
    await removeFiles(ctx, orgId, some);
    await removeUpTo(MessageModel, { orgId, _id: { $in: some.map(({ _id }) => _id) } }, some.length);
  }
}

async function removeFiles(ctx: Asking, orgId: string, messages: MessageDocument[]): Promise<void> {
  const keys = messages.flatMap(({ attachments }) => attachments.map(({ key }) => key));
  if (keys.length > 0) await removeAttachments(ctx, orgId, keys);
}
