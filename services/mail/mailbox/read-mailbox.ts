import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { apiError } from '../../../lib/errors.ts';
import { isSystemMail, type MessageDocument, MessageModel } from '../../../models/mail/message.ts';
import { messageIdOf } from '../delivery.ts';
import { openBody } from '../messages/store.ts';
import { unsubscribeUrlOf } from '../suppressions/unsubscribe-token.ts';
import { isMailboxInUse } from '../transports/choose-transport.ts';
import { composeMail } from '../transports/compose.ts';
import { mailboxEntry, toEntryResponse } from './list-mailbox.ts';

const header = z.strictObject({ name: z.string(), value: z.string() });

/** `mail.mailbox.read`, for /dev/mailbox: one mail with its text. NOT_FOUND where mail is sent. */
export const readMailbox = defineAction({
  summary: 'Read a mail of the mailbox for development',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ messageId: z.string().max(100) }) },
  output: mailboxEntry.extend({
    /** Empty if the mail has no such part. */
    text: z.string(),
    html: z.string(),
    headers: z.array(header),
    /** The source of the message without attachments. */
    source: z.string(),
    attachments: z.array(z.string()),
  }),
  errors: ['NOT_FOUND'],
  async handler({ body: { messageId } }) {
    if (!isMailboxInUse()) throw apiError('NOT_FOUND');
    const message = await MessageModel.findOne({ _id: messageId })
      .setOptions({ acrossTenants: true })
      .lean<MessageDocument>();
    if (!message?.sealedBody) throw apiError('NOT_FOUND');
    const body = openBody(message.sealedBody);
    // A mail with variables is not rendered yet, or could not be rendered.
    const { html = '', text = '' } = 'variables' in body ? { text: message.lastError ?? '' } : body;
    const source = await sourceOf(message, { html, text });
    const attachments = message.attachments.map(({ bucket, key }) => `${bucket}/${key}`);
    return { ...toEntryResponse(message), html, text, source, headers: headersOf(source), attachments };
  },
});

type Parts = { html: string; text: string };

async function sourceOf(message: MessageDocument, { html, text }: Parts): Promise<string> {
  const { _id: id, from, replyTo, to, subject, category } = message;
  const mail = composeMail({
    ...{ id, messageId: messageIdOf(message), from, replyTo, to, subject, attachments: [] },
    ...(html && { html }),
    ...(text && { text }),
    unsubscribeUrl: category === 'marketing' ? unsubscribeUrlOf(message) : null,
    isAutomatic: isSystemMail(message),
  });
  // Imported on demand: nothing else on the main thread needs it.
  const { createTransport } = await import('nodemailer');
  const composed = await createTransport({ streamTransport: true, buffer: true }).sendMail(mail);
  return String(composed.message);
}

/** The headers of a message, unfolded. */
function headersOf(source: string): { name: string; value: string }[] {
  const [head = ''] = source.split(/\r?\n\r?\n/, 1);
  return head
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .map((line) => ({ name: line.split(':', 1)[0] ?? '', value: line.slice(line.indexOf(':') + 1).trim() }));
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'mail.mailbox.read': typeof readMailbox;
  }
}
