import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { isDuplicateKey } from '../../../lib/data/database-errors.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { findContact } from '../contact-rules.ts';
import { endSessions } from '../sessions.ts';
import { changeUser, readCurrentUser } from '../users.ts';
import { mailNotice } from './account-mails.ts';
import { requireCurrentPassword, requireSamePassword } from './change-password.ts';
import { dropMailedTokens } from './mailed-tokens.ts';
import { passwordTyped } from './password.ts';

/**
 * PUT /identity/me/login-email: the user logs in with one of their confirmed email contacts from now on. It needs the
 * password, because the login address can recover the account: a session left open must not be enough.
 */
export const changeLoginEmail = defineAction({
  rest: 'PUT /identity/me/login-email',
  summary: 'Choose the email address you log in with',
  description:
    "Makes one of the user's confirmed email contacts the address they sign in with. Needs the current password; " +
    'wrong passwords count as failed logins. All other sessions of the user end, and the previous address gets a ' +
    'notice by mail. `EMAIL_TAKEN` means that another account signs in with the address.',
  permission: 'session',
  input: {
    body: z
      .strictObject({
        contactId: z.string().describe('The id of a confirmed contact of type `email` (`con_…`).'),
        currentPassword: passwordTyped,
      })
      .meta({ id: 'LoginEmailInput' }),
  },
  output: z.void(),
  errors: ['NOT_FOUND', 'EMAIL_TAKEN', 'CONFLICT'],
  example: {
    body: { contactId: exampleId('con'), currentPassword: 'correct horse battery staple' },
  },
  async handler({ body: { contactId, currentPassword }, caller, ctx }) {
    const user = await readCurrentUser(caller.id);
    confirmedAddress(user, contactId);
    await requireCurrentPassword(ctx, user, currentPassword);
    const { before, after } = await changeEmail(user, contactId);
    if (before.email === after.email) return;
    // These links were mailed to the previous login address.
    await dropMailedTokens('recovery', before.email);
    // A session that someone else has must not outlive the change.
    await endSessions(ctx, { userId: after._id, exceptSessionId: caller.sessionId });
    await announce(ctx, before, after);
  },
});

async function changeEmail(
  checked: UserDocument,
  contactId: string,
): Promise<{ before: UserDocument; after: UserDocument }> {
  try {
    return await changeUser(checked._id, (user) => {
      requireSamePassword(user, checked);
      const email = confirmedAddress(user, contactId);
      return email === user.email ? {} : { email };
    });
  } catch (error) {
    if (isDuplicateKey(error)) throw apiError('EMAIL_TAKEN');
    throw error;
  }
}

function confirmedAddress({ contacts }: UserDocument, contactId: string): string {
  const { type, value, verifiedAt } = findContact(contacts, contactId);
  if (type !== 'email' || verifiedAt === null) throw rejectUnconfirmed();
  return value;
}

function rejectUnconfirmed(): Error {
  const message = 'Choose a contact of type email that is confirmed: have a link mailed there first.';
  return inputError([{ path: 'body.contactId', message }]);
}

async function announce(
  ctx: Ctx,
  { email: formerEmail }: UserDocument,
  { _id: userId, email: newEmail, revision }: UserDocument,
): Promise<void> {
  await recordAuditEvent(ctx, {
    action: 'login-email.changed',
    userId,
    target: { type: 'user', id: userId },
    before: { email: formerEmail },
    after: { email: newEmail },
  });
  await mailNotice(ctx, {
    key: `login-email-changed:${userId}:${revision}`,
    to: formerEmail,
    template: 'login-email-changed',
    variables: { newEmail },
  });
}
