import { type CallInput, type CallOutput, call } from '../../../../lib/contract/context.ts';
import { orNull } from '../../../../lib/contract/errors.ts';
import { decodeCursor, encodeCursor } from '../../../../lib/contract/input.ts';
import { allows } from '../../../../lib/contract/permissions.ts';
import { cursorBehind } from '../../../../messaging/delivery/messages.ts';
import { instantsOfDays } from '../../../../web/list-query.ts';
import type { LogFiltered } from '../../../../web/logs.ts';
import type { OrganizationVisit } from '../../../../web/organization-page.ts';

export type Mail = CallOutput<'mail.messages.list'>['data'][number];
export type Notification = CallOutput<'notification.notifications.list'>['data'][number];
export type MailQuery = CallInput<'mail.messages.list'>['query'];
export type NotificationQuery = CallInput<'notification.notifications.list'>['query'];

/** A row of the log: a mail, or a notification. */
export type Message = { id: string; mail: Mail } | { id: string; notification: Notification };

/** `kind`: `mail`, `notification`, or one channel of notifications. */
export type Filtered = LogFiltered & { kind?: string };

export const sources = ['mail', 'notification'] as const;
export type Source = (typeof sources)[number];

export type MessagePage = {
  messages: Message[];
  nextCursor: string | null;
  /** The lists that the member may read, but whose service does not answer. */
  away: Source[];
};

const pageSize = 50;

/** The statuses that only mail has. */
const statusesOfMail = ['bounced', 'suppressed'];

/** The lists that a member reads with these filters. */
export function sourcesOf({ scopes }: OrganizationVisit, { kind, outcome = '' }: Filtered): Source[] {
  return sources.filter((source) => {
    if (!allows(scopes, `${source}.read`)) return false;
    if (kind !== undefined && source !== (kind === 'mail' ? 'mail' : 'notification')) return false;
    return source === 'mail' || !statusesOfMail.includes(outcome);
  });
}

/**
 * Reads a page of both lists, the newest first. Their ids begin with the time of acceptance and differ in the prefix
 * alone, so the rest orders them together; the cursor has the last message of each list.
 *
 * @throws CURSOR_INVALID, INPUT_INVALID for a filter.
 */
export async function readMessages(
  visit: OrganizationVisit,
  filtered: Filtered,
  cursor: string | undefined,
): Promise<MessagePage> {
  const [lastMail = '', lastNotification = ''] = decodeCursor(cursor, sources.length) ?? [];
  const last = { mail: lastMail, notification: lastNotification };
  const pages = await Promise.all(
    sourcesOf(visit, filtered).map(async (source) => {
      const page = last[source] === '' ? {} : { cursor: cursorBehind(last[source]) };
      const read = readers[source](visit, filtered, { limit: String(pageSize), ...page });
      return { source, found: await orNull(read, 'UNAVAILABLE') };
    }),
  );
  const read = pages.flatMap(({ found }) => found?.messages ?? []).sort(newestFirst);
  const messages = read.slice(0, pageSize);
  for (const message of messages) last['mail' in message ? 'mail' : 'notification'] = message.id;
  const hasMore = read.length > pageSize || pages.some(({ found }) => found?.hasMore);
  return {
    messages,
    nextCursor: hasMore ? encodeCursor([last.mail, last.notification]) : null,
    away: pages.flatMap(({ source, found }) => (found === null ? [source] : [])),
  };
}

type Page = { limit: string; cursor?: string };
type Found = { messages: Message[]; hasMore: boolean };

const readers: Record<Source, (visit: OrganizationVisit, filtered: Filtered, page: Page) => Promise<Found>> = {
  async mail({ ctx }, filtered, page) {
    const query = { ...mailQuery(filtered), ...page };
    const { data, nextCursor } = await call(ctx, 'mail.messages.list', { query });
    return { messages: data.map((mail) => ({ id: mail.messageId, mail })), hasMore: nextCursor !== null };
  },
  async notification({ ctx }, filtered, page) {
    const query = { ...notificationQuery(filtered), ...page };
    const { data, nextCursor } = await call(ctx, 'notification.notifications.list', { query });
    const messages = data.map((notification) => ({ id: notification.notificationId, notification }));
    return { messages, hasMore: nextCursor !== null };
  },
};

/** The filters as the list of mail has them. Its schema refuses an unknown status. */
export function mailQuery({ who, outcome, text, from, to }: Filtered): MailQuery {
  return {
    ...(who !== undefined && { to: who }),
    ...(outcome !== undefined && { status: outcome }),
    ...(text !== undefined && { messageId: text }),
    ...acceptedWithin({ from, to }),
  } as MailQuery;
}

/** The filters as the list of notifications has them. Its schema refuses an unknown status or channel. */
export function notificationQuery({ who, outcome, text, kind, from, to }: Filtered): NotificationQuery {
  return {
    ...(who !== undefined && { recipientId: who }),
    ...(outcome !== undefined && { status: outcome }),
    ...(text !== undefined && { notificationId: text }),
    ...(kind !== undefined && kind !== 'notification' && { channel: kind }),
    ...acceptedWithin({ from, to }),
  } as NotificationQuery;
}

function acceptedWithin(days: Parameters<typeof instantsOfDays>[0]): { since?: string; before?: string } {
  const { from, to } = instantsOfDays(days);
  return { ...(from !== undefined && { since: from }), ...(to !== undefined && { before: to }) };
}

function newestFirst(one: Message, other: Message): number {
  const [first, second] = [orderOf(one), orderOf(other)];
  return first === second ? 0 : first < second ? 1 : -1;
}

const orderOf = ({ id }: Message): string => id.slice(id.indexOf('_') + 1);
