import { type ChangeNotification, checkStreams, sendHint } from '../../../lib/clients/change-notifications.ts';
import type { BrokerContext, PublishContext } from '../../../lib/contract/context.ts';
import type { ConversationDocument } from '../../../models/connect/conversation.ts';
import type { MessageDocument } from '../../../models/connect/message.ts';

/** The notification channel of an organization's agents. */
export const agentsChannel = (orgId: string): string => `connect:${orgId}:agents`;

/** The notification channels of one visitor and of all visitors of a site. */
export const visitorChannel = (orgId: string, visitorId: string): string => `connect:${orgId}:visitor:${visitorId}`;
export const siteChannel = (orgId: string, siteId: string): string => `connect:${orgId}:site:${siteId}`;

/** Notifies both sides of a new message; only the agents of a note. Contains the id, never the content. */
export async function announceMessage(
  ctx: PublishContext,
  conversation: ConversationDocument,
  { seq, publicSeq, author }: MessageDocument,
): Promise<void> {
  const { _id: conversationId, orgId, visitorId, siteId, assigneeId } = conversation;
  const about = { conversationId, siteId, assigneeId, seq, author: author.type, isNote: publicSeq === null };
  await Promise.all([
    send(ctx, agentsChannel(orgId), 'message', about),
    publicSeq !== null && send(ctx, visitorChannel(orgId, visitorId), 'message', { conversationId, seq: publicSeq }),
  ]);
}

/** Notifies both sides of a changed status or assignee. */
export async function announceConversation(ctx: PublishContext, conversation: ConversationDocument): Promise<void> {
  const { _id: conversationId, orgId, visitorId, siteId, status, assigneeId } = conversation;
  await Promise.all([
    send(ctx, agentsChannel(orgId), 'conversation', { conversationId, siteId, status, assigneeId }),
    send(ctx, visitorChannel(orgId, visitorId), 'conversation', { conversationId, status }),
  ]);
}

type Reading = { by: 'agent' | 'visitor'; seq: number; publicSeq: number };

/** Notifies both sides of a changed read position. */
export async function announceRead(
  ctx: PublishContext,
  conversation: ConversationDocument,
  reading: Reading,
): Promise<void> {
  const { _id: conversationId, orgId, visitorId } = conversation;
  const { by, seq, publicSeq } = reading;
  await Promise.all([
    send(ctx, agentsChannel(orgId), 'read', { conversationId, by, seq }),
    send(ctx, visitorChannel(orgId, visitorId), 'read', { conversationId, by, seq: publicSeq }),
  ]);
}

/** Notifies the visitor that an agent is typing, or the agents that the visitor is. */
export async function announceTyping(
  ctx: PublishContext,
  { _id: conversationId, orgId, visitorId }: ConversationDocument,
  typing: { by: 'agent' | 'visitor'; userId?: string; name: string | null },
): Promise<void> {
  const { by, name } = typing;
  if (by === 'agent') await send(ctx, visitorChannel(orgId, visitorId), 'typing', { conversationId, by, name });
  await send(ctx, agentsChannel(orgId), 'typing', { conversationId, ...typing });
}

/** Notifies the agents that one of them opened a conversation, still has it open, or left it. */
export function announceLooking(
  ctx: PublishContext,
  { _id: conversationId, orgId }: ConversationDocument,
  about: { userId: string; looking: boolean },
): Promise<void> {
  return send(ctx, agentsChannel(orgId), 'looking', { conversationId, ...about });
}

/** Notifies the agents that an agent or a visitor is online. */
export function announcePresence(ctx: PublishContext, orgId: string, data: ChangeNotification['data']): Promise<void> {
  return send(ctx, agentsChannel(orgId), 'presence', data);
}

/** Notifies the visitors of a site of changed settings, which they read by a new session. */
export async function announceSite(
  ctx: PublishContext,
  { orgId, siteId, enabled }: { orgId: string; siteId: string; enabled: boolean },
): Promise<void> {
  await Promise.all([
    send(ctx, siteChannel(orgId, siteId), 'site', { enabled }),
    send(ctx, agentsChannel(orgId), 'site', { siteId, enabled }),
  ]);
}

/** Ends the streams that may no longer listen to a channel. If the event is lost, they end within 15 s. */
export async function endStreamsOf({ broker }: BrokerContext, channel: string): Promise<void> {
  try {
    await checkStreams(broker, channel);
  } catch (error) {
    broker.logger.warn('Checking the streams of a channel failed', { error });
  }
}

/** Never throws: the change is already stored, so a lost notification must not fail the request. */
async function send(
  ctx: PublishContext,
  channel: string,
  event: string,
  data: ChangeNotification['data'],
): Promise<void> {
  try {
    await sendHint(ctx, channel, event, data);
  } catch (error) {
    ctx.broker.logger.warn('A change notification could not be sent', { event, error });
  }
}
