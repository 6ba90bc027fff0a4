import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { idPattern } from '../../lib/ids.ts';
import { MessageModel } from '../../models/mail/message.ts';

/** `mail.organizations.erase`, for the deletion of an organization: removes its mail, sent or not. Repeatable. */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's mail",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  async handler({ body: { orgId } }) {
    await MessageModel.deleteMany({ orgId });
    return { isComplete: true };
  },
});

declare module '../../lib/calls.ts' {
  interface Calls {
    'mail.organizations.erase': typeof eraseOrganization;
  }
}
