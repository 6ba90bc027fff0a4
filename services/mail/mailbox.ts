import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { timestamp } from '../../lib/contract/input.ts';
import { isSystemMail, type MessageDocument, MessageModel, messageStatuses } from '../../models/mail/message.ts';
import { isMailboxInUse } from '../../web/mailbox-page.ts';
import { messageIdOf } from './delivery.ts';
import { openBody } from './messages/store.ts';
import { unsubscribeUrlOf } from './suppressions.ts';
import { composeMail } from './transports/compose.ts';

const mailboxEntry = z.strictObject({
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
      /** Only the mails to this address, or to those that begin with it. */
      to: z.string().optional(),
      /** Only the mails before this one. */
      before: z.string().optional(),
    }),
  },
  output: z.strictObject({ messages: z.array(mailboxEntry), hasMore: z.boolean() }),
  errors: ['NOT_FOUND'],
  async handler({ body: { limit, to, before } }) {
    if (!isMailboxInUse()) throw apiError('NOT_FOUND');
    const filter = {
      ...(to !== undefined && beginningWith(to)),
      ...(before !== undefined && { _id: { $lt: before } }),
    };
    const messages = await MessageModel.find({ sealedBody: { $ne: null }, ...filter })
      .setOptions({ acrossTenants: true })
      .sort({ _id: -1 })
      .limit(limit + 1)
      .lean<MessageDocument[]>();
    return { messages: messages.slice(0, limit).map(toEntryResponse), hasMore: messages.length > limit };
  },
});

/** The mails to an address, or to all that begin with a text in any case. */
function beginningWith(to: string): object {
  const start = to.toLowerCase();
  return { $or: [{ to }, { recipient: { $gte: start, $lt: `${start}\uffff` } }] };
}

function toEntryResponse({ _id, to, subject, status, createdAt }: MessageDocument): z.output<typeof mailboxEntry> {
  return { messageId: _id, to, subject, status, createdAt: createdAt.toISOString() };
}

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
