import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { fail } from '../../lib/errors.ts';
import { type MessageDocument, MessageModel } from '../../models/mail/message.ts';
import { mailboxEntry, showEntry } from './list-mailbox.ts';
import { openBody } from './messages.ts';
import { isMailboxInUse } from './transports/choose-transport.ts';

/** `mail.mailbox.read`, for /dev/mailbox: one mail with its text. NOT_FOUND where mail is really sent. */
export const readMailbox = defineAction({
  summary: 'Read a mail of the mailbox for development',
  permission: 'internal',
  input: { body: z.strictObject({ messageId: z.string().max(100) }) },
  output: mailboxEntry.extend({ text: z.string(), html: z.string() }),
  errors: ['NOT_FOUND'],
  async handler({ body: { messageId } }) {
    if (!isMailboxInUse()) throw fail('NOT_FOUND');
    const message = await MessageModel.findOne({ _id: messageId })
      .setOptions({ acrossTenants: true })
      .lean<MessageDocument>();
    if (!message?.sealedBody) throw fail('NOT_FOUND');
    return { ...showEntry(message), ...openBody(message.sealedBody) };
  },
});

declare module '../../lib/calls.ts' {
  interface Calls {
    'mail.mailbox.read': typeof readMailbox;
  }
}
