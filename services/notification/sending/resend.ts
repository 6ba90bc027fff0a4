import { z } from 'zod';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { pathId } from '../../../lib/contract/input.ts';
import { completeResend } from '../../../messaging/delivery/messages.ts';
import { type NotificationDocument, NotificationModel } from '../../../models/notification/notification.ts';
import { openContent } from './content.ts';
import { exampleNotification, findNotification, isResendable } from './notifications.ts';
import { type Accepted, recoverSent, sendAccepted, sendErrors, sendOutput } from './send.ts';

/**
 * POST /v1/notifications/:notificationId/resend: sends a failed notification again as a new one, which is charged as
 * any other.
 */
export const resendNotification = defineAction({
  rest: 'POST /v1/notifications/:notificationId/resend',
  summary: 'Send a failed notification again',
  description:
    'Sends a notification that `failed` again as a new one, with the same text and addresses, and waits up to 1.5 ' +
    'seconds for the first attempt. Use it after the cause is fixed. It uses one unit of the plan as every ' +
    'notification does, and is recorded in the audit log. A notification in another status, and one whose text is no ' +
    'longer stored, is `MESSAGE_NOT_RESENDABLE`: `isResendable` tells.',
  permission: 'notification.send',
  tenant: 'required',
  input: { path: z.strictObject({ notificationId: pathId('ntf') }) },
  output: sendOutput,
  errors: ['NOT_FOUND', 'MESSAGE_NOT_RESENDABLE', ...sendErrors],
  idempotent: {
    async resume({ path: { notificationId }, caller: { orgId }, operation, ctx }) {
      const sent = await recoverSent(orgId, operation);
      return sent && (await complete(ctx, { orgId, notificationId, operation }, sent));
    },
  },
  example: {
    path: { notificationId: exampleNotification.notificationId },
    output: { notificationId: exampleId('ntf', 'again'), channel: 'chatapp', status: 'sent' },
  },
  async handler({ path: { notificationId }, caller: { orgId }, operation, ctx }) {
    const failed = await findNotification(orgId, notificationId);
    const sent = await sendAccepted(ctx, copyOf(failed, operation.newId('ntf')));
    return await complete(ctx, { orgId, notificationId, operation }, sent);
  },
});

function copyOf(failed: NotificationDocument, _id: string): Accepted {
  const { orgId, channel, recipientId, addresses, templateId, templateVersion, locale, sealedContent } = failed;
  if (!isResendable(failed) || sealedContent === null) throw apiError('MESSAGE_NOT_RESENDABLE');
  return {
    _id,
    orgId,
    channel,
    recipientId,
    addresses,
    templateId,
    templateVersion,
    locale,
    ...(failed.onlyConnection !== null && { onlyConnection: failed.onlyConnection }),
    resentFrom: failed._id,
    content: openContent(sealedContent),
  };
}

/** Completes the operation after the new notification is stored. */
async function complete(
  ctx: Ctx,
  of: { orgId: string; notificationId: string; operation: Operation },
  sent: z.output<typeof sendOutput>,
): Promise<z.output<typeof sendOutput>> {
  const { orgId, notificationId: id, operation } = of;
  const resent = { orgId, id, resentAs: sent.notificationId, operation };
  await completeResend(ctx, { service: 'notification', model: NotificationModel }, resent);
  return sent;
}
