import { z } from 'zod';
import { withQuotaAllocation } from '../../../lib/clients/quota-batches.ts';
import { quotaError, unavailable } from '../../../lib/clients/quota-refusal.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, type ErrorCode } from '../../../lib/contract/errors.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { now } from '../../../lib/data/clock.ts';
import { emailSpelling, normalizeEmail } from '../../../lib/format/email-address.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { createQueueLimit } from '../../../messaging/delivery/capacity.ts';
import { localeTag, type Values } from '../../../messaging/templates/content.ts';
import type { TemplateVersionDocument } from '../../../messaging/templates/documents.ts';
import { liveVersion, requireVariables, variablesInput } from '../../../messaging/templates/rendering.ts';
import { type MessageDocument, MessageModel } from '../../../models/mail/message.ts';
import type { SuppressionReason } from '../../../models/mail/suppression.ts';
import { senderOf } from '../sender-settings.ts';
import { concerns, suppressionOf } from '../suppression-store.ts';
import { mailTemplates } from '../templates/kind.ts';
import { isMailOff } from '../transports/choose-transport.ts';
import { attachmentsInput, requireAttachable } from './attachments.ts';
import { takeMailTo, takeSuppressedMail } from './recipient-limit.ts';
import { insertMessage, mailWake, newMessage, sealBody } from './store.ts';

const meter = 'mail.sendsPerMonth';

export const sendOutput = z
  .strictObject({
    messageId: z.string().describe('The id of the mail (`msg_…`).'),
    status: z
      .enum(['queued', 'suppressed'])
      .describe('`queued`: it will be sent. `suppressed`: nothing is sent, because the address is suppressed.'),
  })
  .meta({ id: 'AcceptedMail' });
type SendOutput = z.output<typeof sendOutput>;

export const sendErrors: ErrorCode[] = [
  'PLAN_LIMIT_EXCEEDED',
  'SERVICE_NOT_INCLUDED',
  'PAYMENT_REQUIRED',
  'MAIL_DISABLED',
];

const capacity = createQueueLimit(MessageModel, settings.MAIL_QUEUE_LIMIT);

/** The content of a message, and the template version that it is rendered from. */
export type MessageContent = Pick<
  MessageDocument,
  'subject' | 'sealedBody' | 'templateId' | 'templateVersion' | 'category'
>;

type Version = Pick<TemplateVersionDocument, 'templateId' | 'version' | 'category'>;

/** The content of a message that is rendered from a template version when it is sent. */
export function contentOfVersion({ templateId, version, category }: Version, values: Values): MessageContent {
  const sealedBody = sealBody({ variables: values });
  return { subject: '', sealedBody, templateId, templateVersion: version, category };
}

/** A message to one recipient. */
export type Acceptance = {
  orgId: string;
  operation: Operation;
  content: MessageContent;
  to: string;
  /** Why the recipient is suppressed, queried in the same request; null if not suppressed. */
  suppression: SuppressionReason | null;
  locale?: string | undefined;
  replyTo?: string | undefined;
  attachments?: MessageDocument['attachments'];
  /** The failed message that this one repeats. */
  resentFrom?: string;
};

/**
 * Accepts a message: reserves a quota unit, stores the message durably and wakes the sender. A suppressed recipient
 * uses no unit.
 *
 * @throws MAIL_DISABLED; RATE_LIMITED the recipient gets too many mails in this hour, too many went to suppressed
 * addresses today, or the organization's queue is full; the refusals of the quota; UNAVAILABLE.
 */
export async function acceptMessage(ctx: Ctx, acceptance: Acceptance): Promise<SendOutput> {
  if (isMailOff()) throw apiError('MAIL_DISABLED');
  const { orgId, content, suppression } = acceptance;
  const document = documentOf(acceptance, await senderOf(ctx, orgId));
  if (concerns(suppression, content.category)) {
    await takeSuppressedMail(ctx, orgId);
    await insertMessage({ ...document, status: 'suppressed', sealedBody: null });
    return { messageId: document._id, status: 'suppressed' };
  }
  await takeMailTo(acceptance.to);
  await capacity.add(orgId);
  const refused = await withQuotaAllocation(
    ctx,
    { orgId, meter, amount: 1 },
    async ({ quotaBatch, granted, refusal }) => {
      if (granted === 0) return { result: refusal ?? unavailable, charged: 0 };
      if (!quotaBatch.isHeld()) throw apiError('UNAVAILABLE');
      const { key: lot, receivedAt: createdAt } = quotaBatch;
      const isInserted = await insertMessage({ ...document, lot, createdAt });
      return { result: null, charged: isInserted ? 1 : 0 };
    },
  );
  if (refused !== null) throw quotaError(refused, orgId);
  mailWake.wake();
  return { messageId: document._id, status: 'queued' };
}

function documentOf(
  { orgId, operation, content, to, locale, replyTo, attachments = [], resentFrom }: Acceptance,
  sender: Awaited<ReturnType<typeof senderOf>>,
): MessageDocument {
  const _id = operation.newId('msg');
  return {
    ...newMessage(now()),
    _id,
    orgId,
    key: _id,
    to,
    recipient: normalizeEmail(to),
    from: sender.from,
    replyTo: replyTo ?? sender.replyTo,
    ...content,
    locale: locale ?? null,
    attachments,
    ...(resentFrom !== undefined && { resentFrom }),
  };
}

/** Returns the message that an earlier run of the operation accepted; null if none. */
export async function recoverMessage(orgId: string, operation: Operation): Promise<SendOutput | null> {
  const _id = operation.newId('msg');
  const stored = await MessageModel.findOne({ orgId, _id }, { status: 1 }).lean<MessageDocument>();
  if (!stored) return null;
  mailWake.wake();
  return { messageId: _id, status: stored.status === 'suppressed' ? 'suppressed' : 'queued' };
}

/**
 * POST /v1/mail/send: sends a template to one recipient. 202 means that the message is stored durably, with the
 * currently published version of the template.
 */
export const sendMail = defineAction({
  rest: 'POST /v1/mail/send',
  summary: 'Send a mail',
  description:
    'Sends the published version of a template to one recipient. `202` means that the mail is stored durably and ' +
    'will be sent; follow it with `GET /v1/mail/messages/{messageId}`. A suppressed recipient gets nothing, and ' +
    'the status is `suppressed`. Every accepted mail uses one unit of the plan; a recipient who gets too many ' +
    'mails in an hour is `RATE_LIMITED`.',
  permission: 'mail.send',
  tenant: 'required',
  input: {
    body: z
      .strictObject({
        to: emailSpelling.describe('The address of the recipient.'),
        templateId: z.string().min(1, 'Required.').max(100),
        variables: variablesInput.default({}),
        locale: localeTag.optional(),
        replyTo: emailSpelling.optional(),
        attachments: attachmentsInput,
      })
      .meta({ id: 'MailInput' }),
  },
  output: sendOutput,
  status: 202,
  errors: sendErrors,
  idempotent: { resume: ({ caller: { orgId }, operation }) => recoverMessage(orgId, operation) },
  example: {
    body: {
      to: 'grace@example.com',
      templateId: exampleId('tpl', 'mail'),
      variables: { name: 'Grace', orderNumber: 'A-1042' },
    },
    output: { messageId: exampleId('msg'), status: 'queued' },
  },
  async handler({ body, caller: { orgId }, operation, ctx }) {
    const { to, templateId, variables, locale, replyTo, attachments } = body;
    const [version, suppression] = await Promise.all([
      liveVersion(mailTemplates, orgId, templateId),
      suppressionOf(orgId, to),
    ]);
    const content = contentOfVersion(version, requireVariables(version, variables));
    await requireAttachable(ctx, orgId, attachments);
    return await acceptMessage(ctx, {
      orgId,
      operation,
      content,
      to,
      suppression,
      locale,
      replyTo,
      attachments,
    });
  },
});
