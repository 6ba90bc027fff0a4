import { z } from 'zod';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { pathId } from '../../../lib/contract/input.ts';
import { completeResend } from '../../../messaging/delivery/messages.ts';
import { MessageModel } from '../../../models/mail/message.ts';
import { suppressionOf } from '../suppression-store.ts';
import { findMessage, isResendable } from './read-messages.ts';
import { acceptMessage, recoverMessage, sendErrors, sendOutput } from './send.ts';

/**
 * POST /v1/mail/messages/:messageId/resend: sends a failed mail again as a new one, which is charged and limited as any
 * other, so that fixing a cause and trying again needs no stored variables of the sender's own.
 */
export const resendMail = defineAction({
  rest: 'POST /v1/mail/messages/:messageId/resend',
  summary: 'Send a failed mail again',
  description:
    'Sends a mail that `failed` or `bounced` again as a new mail, with the same template version, variables and ' +
    'attachments, from the present sender. Use it after the cause is fixed. It uses one unit of the plan as every ' +
    'mail does, and is recorded in the audit log. A mail in another status, one whose content is no longer stored, ' +
    'and mail of the platform itself are `MESSAGE_NOT_RESENDABLE`: `isResendable` tells.',
  permission: 'mail.send',
  tenant: 'required',
  input: { path: z.strictObject({ messageId: pathId('msg') }) },
  output: sendOutput,
  status: 202,
  errors: ['NOT_FOUND', 'MESSAGE_NOT_RESENDABLE', ...sendErrors],
  idempotent: {
    async resume({ path: { messageId }, caller: { orgId }, operation, ctx }) {
      const accepted = await recoverMessage(orgId, operation);
      return accepted && (await complete(ctx, { orgId, messageId, operation }, accepted));
    },
  },
  example: {
    path: { messageId: exampleId('msg') },
    output: { messageId: exampleId('msg', 'again'), status: 'queued' },
  },
  async handler({ path: { messageId }, caller: { orgId }, operation, ctx }) {
    const failed = await findMessage(orgId, messageId);
    if (!isResendable(failed)) throw apiError('MESSAGE_NOT_RESENDABLE');
    const { to, subject, sealedBody, templateId, templateVersion, category, locale, replyTo, attachments } = failed;
    const accepted = await acceptMessage(ctx, {
      orgId,
      operation,
      content: { subject, sealedBody, templateId, templateVersion, category },
      to,
      suppression: await suppressionOf(orgId, to),
      locale: locale ?? undefined,
      replyTo: replyTo ?? undefined,
      attachments,
      resentFrom: messageId,
    });
    return await complete(ctx, { orgId, messageId, operation }, accepted);
  },
});

/** Completes the operation after the new mail is stored. */
async function complete(
  ctx: Ctx,
  of: { orgId: string; messageId: string; operation: Operation },
  accepted: z.output<typeof sendOutput>,
): Promise<z.output<typeof sendOutput>> {
  const { orgId, messageId: id, operation } = of;
  const { messageId: resentAs } = accepted;
  await completeResend(ctx, { service: 'mail', model: MessageModel }, { orgId, id, resentAs, operation });
  return accepted;
}
