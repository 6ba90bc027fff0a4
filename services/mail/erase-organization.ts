import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { idPattern } from '../../lib/ids.ts';
import { MessageModel } from '../../models/mail/message.ts';

/** `mail.messages.erase-organization`, for the deletion of an organization: removes its mail, sent or not. Repeatable. */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's mail",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.void(),
  async handler({ body: { orgId } }) {
    await MessageModel.deleteMany({ orgId });
  },
});

declare module '../../lib/calls.ts' {
  interface Calls {
    'mail.messages.erase-organization': typeof eraseOrganization;
  }
}
