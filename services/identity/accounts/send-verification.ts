import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { inputError } from '../../../lib/errors.ts';
import { exampleId } from '../../../lib/examples.ts';
import { requireMail } from '../../../lib/require-mail.ts';
import { findContact } from '../contacts/contact-list.ts';
import { contactPath } from '../contacts/contacts.ts';
import { readCurrentUser } from '../users/current-user.ts';
import { mailLink } from './account-mails.ts';
import { consumeMailQuota, consumeMailQuotaOfNetwork, consumeMailQuotaOfUser } from './mail-allowance.ts';

/** POST /identity/me/contacts/:contactId/verification: mails a link by which the owner of the address confirms it. */
export const sendVerification = defineAction({
  rest: 'POST /identity/me/contacts/:contactId/verification',
  summary: 'Mail a link that confirms an email contact',
  permission: 'session',
  input: { path: contactPath },
  output: z.strictObject({ contactId: z.string(), status: z.literal('mailed') }),
  status: 202,
  errors: ['NOT_FOUND', 'MAIL_DISABLED'],
  // An operation has one link, and the mail service sends a link once.
  idempotent: { resume: 'rerun' },
  example: {
    path: { contactId: exampleId('con') },
    output: { contactId: exampleId('con'), status: 'mailed' },
  },
  async handler({ path: { contactId }, caller, operation, ctx }) {
    const { contacts } = await readCurrentUser(caller.id);
    const { type, value: email } = findContact(contacts, contactId);
    if (type !== 'email') throw refuseOtherType();
    await requireMail(ctx);
    await consumeMailQuotaOfUser(caller.id);
    await consumeMailQuotaOfNetwork(ctx.meta);
    if (await consumeMailQuota('email-verification', email)) {
      const link = { kind: 'email-verification' as const, email, userId: caller.id, contactId };
      await mailLink(ctx, link, operation);
    }
    return { contactId, status: 'mailed' as const };
  },
});

function refuseOtherType(): Error {
  return inputError([{ path: 'path.contactId', message: 'Only a contact of type email is confirmed by mail.' }]);
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.accounts.send-verification': typeof sendVerification;
  }
}
