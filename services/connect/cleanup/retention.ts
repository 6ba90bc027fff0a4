import type { Context } from 'moleculer';
import { call } from '../../../lib/calls.ts';
import { day, fromNow } from '../../../lib/clock.ts';
import { removeUpTo } from '../../../lib/remove-up-to.ts';
import { tenantsOf } from '../../../lib/sweep.ts';
import { AttachmentModel } from '../../../models/connect/attachment.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { VisitorModel } from '../../../models/connect/visitor.ts';
import { removeAttachmentsOf } from '../attachments/attachments.ts';
import { removeConversation, removeMessages } from './remove.ts';

type Asking = Pick<Context, 'call'>;

const batch = 100;

/**
 * Removes what is older than the retention of business context, one organization after the other. One that fails keeps
 * its conversations until the next run, does not delay the others, and makes the run fail in the end.
 */
export async function sweepRetention(ctx: Asking, signal: AbortSignal): Promise<void> {
  const failures: { orgId: string; reason: unknown }[] = [];
  for await (const [{ orgId }] of tenantsOf([ConversationModel, VisitorModel, AttachmentModel])) {
    if (signal.aborted) break;
    await sweepOrganization(ctx, orgId, signal).catch((reason) => failures.push({ orgId, reason }));
  }
  const [first] = failures;
  if (!first) return;
  const message = `Conversations wait for the next run: of ${first.orgId}, and of ${failures.length - 1} organizations beside it`;
  throw new Error(message, { cause: first.reason });
}

/** A conversation goes when its last message is too old, and before that each of its older messages. */
async function sweepOrganization(ctx: Asking, orgId: string, signal: AbortSignal): Promise<void> {
  const { days } = await call(ctx, 'context.retention.describe', { body: { orgId } });
  if (days === null) return;
  const until = fromNow(-days * day);
  for (let isMore = true; isMore && !signal.aborted; ) {
    const old = await ConversationModel.find({ orgId, activeAt: { $lte: until } })
      .limit(batch)
      .lean<ConversationDocument[]>();
    let removed = 0;
    for (const conversation of old) removed += (await removeConversation(ctx, conversation)) ? 1 : 0;
    isMore = removed > 0;
  }
  await removeMessages(ctx, { orgId, createdAt: { $lte: until } });
  while (!(await removeAttachmentsOf(ctx, orgId, { createdAt: { $lte: until } })) && !signal.aborted);
  await removeUpTo(VisitorModel, { orgId, lastSeenAt: { $lte: until } }, Number.POSITIVE_INFINITY);
}
