import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { fail } from '../../lib/errors.ts';
import { idPattern } from '../../lib/ids.ts';
import { mailAddress } from './addresses.ts';
import { queueMessage } from './messages.ts';
import { isMailOff } from './transports/choose-transport.ts';

/**
 * `mail.notifications.send`, for the channel `email` of the notification service: queues a mail of an organization, once
 * for its notification. It takes no quota of mails, because the notification took one of its own.
 */
export const sendNotification = defineAction({
  summary: 'Send a notification of an organization as a mail',
  permission: 'internal',
  input: {
    body: z.strictObject({
      orgId: z.string().regex(idPattern('org')),
      notificationId: z.string().regex(idPattern('ntf')),
      to: mailAddress,
      subject: z.string(),
      text: z.string(),
      html: z.string(),
    }),
  },
  output: z.strictObject({ messageId: z.string() }),
  errors: ['MAIL_DISABLED'],
  async handler({ body: { notificationId, ...mail } }) {
    if (isMailOff()) throw fail('MAIL_DISABLED');
    return { messageId: await queueMessage({ key: `notification:${notificationId}`, ...mail }) };
  },
});

declare module '../../lib/calls.ts' {
  interface Calls {
    'mail.notifications.send': typeof sendNotification;
  }
}
