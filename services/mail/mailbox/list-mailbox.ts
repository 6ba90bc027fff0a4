import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { apiError } from '../../../lib/errors.ts';
import { timestamp } from '../../../lib/instant.ts';
import { type MessageDocument, MessageModel, messageStatuses } from '../../../models/mail/message.ts';
import { isMailboxInUse } from '../transports/choose-transport.ts';

export const mailboxEntry = z.strictObject({
  messageId: z.string(),
  to: z.string(),
  subject: z.string(),
  status: z.enum(messageStatuses),
  createdAt: timestamp,
});

/** `mail.mailbox.list`, for /dev/mailbox: the newest mails of all organizations. NOT_FOUND where mail is sent. */
export const listMailbox = defineAction({
  summary: 'List the mailbox for development',
  permission: 'internal',
  safe: true,
  input: {
    body: z.strictObject({
      limit: z.int().min(1).max(100),
      /** Only the mails to this address. */
      to: z.string().optional(),
      /** Only the mails before this one. */
      before: z.string().optional(),
    }),
  },
  output: z.strictObject({ messages: z.array(mailboxEntry), hasMore: z.boolean() }),
  errors: ['NOT_FOUND'],
  async handler({ body: { limit, to, before } }) {
    if (!isMailboxInUse()) throw apiError('NOT_FOUND');
    const filter = { ...(to !== undefined && { to }), ...(before !== undefined && { _id: { $lt: before } }) };
    const messages = await MessageModel.find({ sealedBody: { $ne: null }, ...filter })
      .setOptions({ acrossTenants: true })
      .sort({ _id: -1 })
      .limit(limit + 1)
      .lean<MessageDocument[]>();
    return { messages: messages.slice(0, limit).map(toEntryResponse), hasMore: messages.length > limit };
  },
});

export function toEntryResponse({
  _id,
  to,
  subject,
  status,
  createdAt,
}: MessageDocument): z.output<typeof mailboxEntry> {
  return { messageId: _id, to, subject, status, createdAt: createdAt.toISOString() };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'mail.mailbox.list': typeof listMailbox;
  }
}
