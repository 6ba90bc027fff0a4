import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { platformMail } from '../../models/mail/message.ts';
import { queueMessage } from './messages.ts';
import { renderSystemMail, systemMail } from './system-templates/system-templates.ts';

/** `mail.system.send`, for every service: renders one of the platform's own mails and stores it to be sent. */
export const sendSystemMail = defineAction({
  summary: "Send one of the platform's own mails",
  permission: 'internal',
  input: { body: systemMail },
  output: z.strictObject({ messageId: z.string() }),
  async handler({ body }) {
    const { key, to, orgId } = body;
    const message = { key: `system:${key}`, to, orgId: orgId ?? platformMail, ...renderSystemMail(body) };
    return { messageId: await queueMessage(message) };
  },
});

declare module '../../lib/calls.ts' {
  interface Calls {
    'mail.system.send': typeof sendSystemMail;
  }
}
