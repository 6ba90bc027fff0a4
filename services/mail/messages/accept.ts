import { z } from 'zod';
import type { Ctx } from '../../../lib/caller.ts';
import { now } from '../../../lib/clock.ts';
import { normalizeEmail } from '../../../lib/email-address.ts';
import type { ErrorCode } from '../../../lib/errors.ts';
import { apiError } from '../../../lib/errors.ts';
import type { Operation } from '../../../lib/operation.ts';
import { withQuotaAllocation } from '../../../lib/quota-allocations.ts';
import { quotaError } from '../../../lib/quota-errors.ts';
import { settings } from '../../../lib/settings.ts';
import { createQueueLimit } from '../../../messaging/delivery/capacity.ts';
import type { Values } from '../../../messaging/templates/content.ts';
import type { TemplateVersionDocument } from '../../../messaging/templates/documents.ts';
import { type MessageDocument, MessageModel } from '../../../models/mail/message.ts';
import type { SuppressionReason } from '../../../models/mail/suppression.ts';
import { senderOf } from '../sender/sender-settings.ts';
import { concerns } from '../suppressions/store.ts';
import { isMailOff } from '../transports/choose-transport.ts';
import { takeMailTo, takeSuppressedMail } from './recipient-limit.ts';
import { insertMessage, mailWake, newMessage, sealBody } from './store.ts';

const meter = 'mail.sendsPerMonth';

export const sendOutput = z
  .strictObject({ messageId: z.string(), status: z.enum(['queued', 'suppressed']) })
  .meta({ id: 'AcceptedMail' });
type SendOutput = z.output<typeof sendOutput>;

export const sendErrors: ErrorCode[] = [
  'PLAN_LIMIT_EXCEEDED',
  'SERVICE_NOT_INCLUDED',
  'PAYMENT_REQUIRED',
  'MAIL_DISABLED',
];

const capacity = createQueueLimit(MessageModel, settings.MAIL_QUEUE_LIMIT);

/** A message from a template version to one recipient. */
export type Acceptance = {
  orgId: string;
  operation: Operation;
  version: Pick<TemplateVersionDocument, 'templateId' | 'version' | 'category'>;
  values: Values;
  to: string;
  /** Why the recipient is suppressed, queried in the same request; null if not suppressed. */
  suppression: SuppressionReason | null;
  locale?: string | undefined;
  replyTo?: string | undefined;
  attachments?: MessageDocument['attachments'];
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
  const { orgId, version, suppression } = acceptance;
  const document = documentOf(acceptance, await senderOf(ctx, orgId));
  if (concerns(suppression, version.category)) {
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
      if (granted === 0) return { result: refusal ?? ('unavailable' as const), charged: 0 };
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
  { orgId, operation, version, values, to, locale, replyTo, attachments = [] }: Acceptance,
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
    sealedBody: sealBody({ variables: values }),
    templateId: version.templateId,
    templateVersion: version.version,
    category: version.category,
    locale: locale ?? null,
    attachments,
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
