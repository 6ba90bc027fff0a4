import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { olderIds, pageOf, pageQuery, pathId, timestamp, toPage } from '../../../lib/contract/input.ts';
import { storedEmails } from '../../../lib/format/email-address.ts';
import { acceptedWithin, repetitionFields, repetitionOf } from '../../../messaging/delivery/messages.ts';
import {
  isSystemMail,
  type MessageDocument,
  MessageModel,
  type MessageStatus,
  notificationOf,
} from '../../../models/mail/message.ts';

const shownStatuses = ['queued', 'sending', 'sent', 'bounced', 'failed', 'suppressed'] as const;
type ShownStatus = (typeof shownStatuses)[number];

const event = z
  .strictObject({
    type: z.enum(['queued', 'sent', 'bounced', 'complained', 'failed', 'suppressed']).describe('What happened.'),
    at: timestamp,
    detail: z.string().nullable().describe('The reason of a failure; null if none.'),
  })
  .meta({ id: 'MailEvent' });

const messageFields = {
  messageId: z.string().describe('The id of the mail (`msg_…`).'),
  to: z.string().describe('The address of the recipient.'),
  subject: z.string().nullable().describe('The subject as it was sent; null until it is rendered.'),
  templateId: z.string().nullable(),
  templateVersion: z.int().nullable(),
  locale: z.string().nullable(),
  status: z
    .enum(shownStatuses)
    .describe('The present status. `suppressed`: nothing was sent, because the address is suppressed.'),
  createdAt: timestamp,
  sentAt: timestamp.nullable(),
};

const listed = z.strictObject(messageFields).meta({ id: 'MailMessage' });
const detailed = z
  .strictObject({
    ...messageFields,
    from: z
      .strictObject({ name: z.string(), address: z.string().describe('The address of the sender.') })
      .describe('The sender.'),
    replyTo: z.string().nullable(),
    notificationId: z.string().nullable().describe('The notification that the mail carries; null for other mail.'),
    attempts: z.int(),
    ...repetitionFields,
    events: z.array(event).describe('What happened to the mail, the oldest first.'),
  })
  .meta({ id: 'MailMessageDetails' });

const example = {
  messageId: exampleId('msg'),
  to: 'grace@example.com',
  subject: 'Your order A-1042',
  templateId: exampleId('tpl', 'mail'),
  templateVersion: 1,
  locale: null,
  status: 'sent',
  createdAt: exampleInstant,
  sentAt: exampleInstant,
} satisfies z.input<typeof listed>;

/** GET /v1/mail/messages: the organization's mail, newest first. */
export const listMessages = defineAction({
  rest: 'GET /v1/mail/messages',
  summary: 'List sent mail',
  description:
    "Returns the organization's mail, the newest first. The filters can be combined; `since` is inclusive, `before` " +
    'is exclusive.',
  permission: 'mail.read',
  tenant: 'required',
  input: {
    query: z.strictObject({
      ...pageQuery,
      status: z.enum(shownStatuses).optional().describe('Only mail in this status.'),
      to: z.string().max(254).optional().describe('Only mail to this address.'),
      messageId: z.string().max(100).optional().describe('Only the mail with this id.'),
      ...acceptedWithin,
    }),
  },
  output: pageOf(listed),
  errors: ['CURSOR_INVALID'],
  example: { query: { status: 'sent', limit: '20' }, output: { data: [example], nextCursor: null } },
  async handler({ query: { limit, cursor, status, to, messageId, since, before }, caller: { orgId } }) {
    const filter = {
      orgId,
      ...(to !== undefined && { recipient: { $in: storedEmails(to) } }),
      ...olderIds('msg', { cursor, from: since, to: before }, messageId),
    };
    const rows = await Promise.all(
      storedStatuses(status).map((stored) => find({ ...filter, ...(stored && { status: stored }) }, limit + 1)),
    );
    const newest = rows.flat().sort((a, b) => (a._id < b._id ? 1 : -1));
    return toPage(newest.slice(0, limit + 1), limit, ({ _id }) => [_id], toListedResponse);
  },
});

/** The stored statuses of an API status; one query each, so that the index applies. */
function storedStatuses(shown: ShownStatus | undefined): (MessageStatus | null)[] {
  if (shown === undefined) return [null];
  return shown === 'queued' ? ['queued', 'waiting'] : [shown];
}

function find(filter: { orgId: string } & Record<string, unknown>, limit: number): Promise<MessageDocument[]> {
  return MessageModel.find(filter).sort({ _id: -1 }).limit(limit).lean<MessageDocument[]>().exec();
}

/** GET /v1/mail/messages/:messageId: one message with its events. */
export const readMessage = defineAction({
  rest: 'GET /v1/mail/messages/:messageId',
  summary: 'Read a mail and what happened to it',
  description:
    'Returns one mail with its sender and everything that happened to it: queued, sent, bounced, complained, ' +
    'failed or suppressed.',
  permission: 'mail.read',
  tenant: 'required',
  input: { path: z.strictObject({ messageId: pathId('msg') }) },
  output: detailed,
  errors: ['NOT_FOUND'],
  example: {
    path: { messageId: example.messageId },
    output: {
      ...example,
      from: { name: 'Acme Bikes', address: 'no-reply@example.com' },
      replyTo: null,
      notificationId: null,
      attempts: 1,
      nextAttemptAt: null,
      isResendable: false,
      resentFrom: null,
      resentAs: null,
      events: [
        { type: 'queued', at: exampleInstant, detail: null },
        { type: 'sent', at: exampleInstant, detail: null },
      ],
    },
  },
  async handler({ path: { messageId }, caller: { orgId } }) {
    const message = await findMessage(orgId, messageId);
    const { from, replyTo, attempts } = message;
    return {
      ...toListedResponse(message),
      from: { name: from.name, address: from.address },
      replyTo,
      notificationId: notificationOf(message),
      attempts,
      ...repetitionOf(message),
      isResendable: isResendable(message),
      events: eventsOf(message),
    };
  },
});

/** The organization's message; throws NOT_FOUND, also for another organization's. */
export async function findMessage(orgId: string, _id: string): Promise<MessageDocument> {
  const message = await MessageModel.findOne({ orgId, _id }).lean<MessageDocument>();
  if (!message) throw apiError('NOT_FOUND', { message: 'No message has this id.' });
  return message;
}

/** Whether a mail can be sent again. The platform repeats its own mail itself, where that is safe. */
export function isResendable(message: MessageDocument): boolean {
  const { status, sealedBody } = message;
  return (status === 'failed' || status === 'bounced') && sealedBody !== null && !isSystemMail(message);
}

function toListedResponse(message: MessageDocument): z.output<typeof listed> {
  const { _id: messageId, to, subject, templateId, templateVersion, locale, status, createdAt, sentAt } = message;
  return {
    messageId,
    to,
    subject: subject || null,
    templateId,
    templateVersion,
    locale,
    status: status === 'waiting' ? 'queued' : status,
    createdAt: createdAt.toISOString(),
    sentAt: sentAt?.toISOString() ?? null,
  };
}

/** The events in order; includes a failed attempt while the message waits for the next one. */
function eventsOf({ status, lot, createdAt, sentAt, updatedAt, lastError, feedback }: MessageDocument) {
  const at = createdAt.toISOString();
  const isSuppressed = status === 'suppressed';
  // A message that was suppressed on acceptance used no unit.
  const first = { type: isSuppressed && lot === undefined ? ('suppressed' as const) : ('queued' as const), at };
  const waiting = status === 'waiting' ? lastError : null;
  const reported = feedback.map(({ type, at: when, detail, isPermanent }) => ({
    type,
    at: when.toISOString(),
    detail: `${isPermanent ? '' : 'temporary: '}${detail}` || null,
  }));
  return [
    { ...first, detail: waiting },
    ...(sentAt ? [{ type: 'sent' as const, at: sentAt.toISOString(), detail: null }] : []),
    ...(isSuppressed && lot !== undefined
      ? [{ type: 'suppressed' as const, at: updatedAt.toISOString(), detail: null }]
      : []),
    ...(status === 'failed' ? [{ type: 'failed' as const, at: updatedAt.toISOString(), detail: lastError }] : []),
    ...reported,
  ];
}
