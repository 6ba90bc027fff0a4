import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { organizationId } from '../../../lib/contract/input.ts';
import { now } from '../../../lib/data/clock.ts';
import { idPattern } from '../../../lib/data/ids.ts';
import { emailSpelling, normalizeEmail } from '../../../lib/format/email-address.ts';
import { keyOfNotification, type MessageDocument, MessageModel } from '../../../models/mail/message.ts';
import { senderOf } from '../sender-settings.ts';
import { isSuppressed } from '../suppression-store.ts';
import { isMailOff } from '../transports/choose-transport.ts';
import { takeMailTo } from './recipient-limit.ts';
import { insertMessage, mailWake, newMessage, sealBody } from './store.ts';

/**
 * `mail.notifications.send`, for the channel `email` of the notification service: queues a rendered mail of an
 * organization, once per notification. Uses no mail quota, because the notification used a notification unit.
 * `suppressed`: the address is suppressed and nothing is sent.
 */
export const sendNotification = defineAction({
  summary: 'Send a notification of an organization as a mail',
  permission: 'internal',
  input: {
    body: z.strictObject({
      orgId: organizationId,
      notificationId: z.string().regex(idPattern('ntf')),
      to: emailSpelling,
      category: z.enum(['transactional', 'marketing']),
      subject: z.string(),
      text: z.string(),
      html: z.string(),
    }),
  },
  output: z.strictObject({ messageId: z.string(), status: z.enum(['queued', 'suppressed']) }),
  errors: ['MAIL_DISABLED'],
  async handler({ body: { orgId, notificationId, to, category, subject, text, html }, ctx }) {
    if (isMailOff()) throw apiError('MAIL_DISABLED');
    // Derived from the notification's id, so that a repetition gets the same id.
    const _id = notificationId.replace(/^ntf_/, 'msg_');
    const [suppressed, sender, isRepeated] = await Promise.all([
      isSuppressed(orgId, to, category),
      senderOf(ctx, orgId),
      MessageModel.exists({ orgId, _id }),
    ]);
    if (!suppressed && !isRepeated) await takeMailTo(to);
    const status = suppressed ? ('suppressed' as const) : ('queued' as const);
    const document: MessageDocument = {
      ...newMessage(now()),
      ...sender,
      _id,
      orgId,
      key: keyOfNotification(notificationId),
      to,
      recipient: normalizeEmail(to),
      subject,
      category,
      status,
      sealedBody: suppressed ? null : sealBody({ text, ...(html !== '' && { html }) }),
    };
    if (!(await insertMessage(document))) return { messageId: _id, status: await statusOf(orgId, _id) };
    mailWake.wake();
    return { messageId: _id, status };
  },
});

async function statusOf(orgId: string, _id: string): Promise<'queued' | 'suppressed'> {
  const stored = await MessageModel.findOne({ orgId, _id }, { status: 1 }).lean();
  return stored?.status === 'suppressed' ? 'suppressed' : 'queued';
}
