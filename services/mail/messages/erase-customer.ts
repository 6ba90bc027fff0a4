import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { call } from '../../../lib/calls.ts';
import { idPattern } from '../../../lib/ids.ts';

/** The maximum of one call. */
const maxAddresses = 500;

/** `mail.customers.erase`, for the erasure of a customer: removes the organization's messages to their addresses. */
export const eraseCustomer = defineAction({
  summary: 'Remove the mail to a customer',
  permission: 'internal',
  input: {
    body: z.strictObject({
      orgId: z.string().regex(idPattern('org')),
      ids: z.array(z.string()),
      emails: z.array(z.string()),
      phones: z.array(z.string()),
    }),
  },
  output: z.strictObject({ isComplete: z.boolean() }),
  async handler({ body: { orgId, emails }, ctx }) {
    for (let at = 0; at < emails.length; at += maxAddresses) {
      await call(ctx, 'mail.recipients.erase', { body: { orgId, addresses: emails.slice(at, at + maxAddresses) } });
    }
    return { isComplete: true };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'mail.customers.erase': typeof eraseCustomer;
  }
}
