import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { apiError } from '../../lib/errors.ts';
import { keyOfSystemMail, platformMail } from '../../models/mail/message.ts';
import { queueSystemMessage } from './messages/store.ts';
import { renderSystemMail, systemMail } from './system-templates/system-templates.ts';
import { isMailOff } from './transports/choose-transport.ts';

/**
 * `mail.system.send`, for every service: renders one of the platform's own mails and queues it. MAIL_DISABLED if mail
 * is turned off.
 */
export const sendSystemMail = defineAction({
  summary: "Send one of the platform's own mails",
  permission: 'internal',
  input: { body: systemMail },
  output: z.strictObject({ messageId: z.string() }),
  errors: ['MAIL_DISABLED'],
  async handler({ body }) {
    if (isMailOff()) throw apiError('MAIL_DISABLED');
    const { key, to, orgId } = body;
    const message = { key: keyOfSystemMail(key), to, orgId: orgId ?? platformMail, ...renderSystemMail(body) };
    return { messageId: await queueSystemMessage(message) };
  },
});

/** `mail.system.status`, for operations that require mail. */
export const readMailStatus = defineAction({
  summary: 'Find out whether mail is turned on',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({}) },
  output: z.strictObject({ isOn: z.boolean() }),
  handler: async () => ({ isOn: !isMailOff() }),
});

declare module '../../lib/calls.ts' {
  interface Calls {
    'mail.system.send': typeof sendSystemMail;
    'mail.system.status': typeof readMailStatus;
  }
}
