import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { call } from '../../../lib/calls.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { timestamp } from '../../../lib/instant.ts';
import { personName } from '../../../lib/public-names.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { newUser } from '../accounts/new-user.ts';
import { hashClientIn, hashPassword } from '../accounts/password.ts';
import { newPasswordTyped, requireGoodPassword } from '../accounts/password-rules.ts';
import { createSession } from '../sessions/sessions.ts';
import { findByToken, invitationToken, isOpen } from './invitations.ts';
import { claim, join, reopen } from './join.ts';

const name = personName(100);

/**
 * `identity.invitations.register-and-accept`, for the page behind the mailed link: creates an account with the invited
 * address, whose ownership the link proves, makes it a member and logs in.
 */
export const registerAndAccept = defineAction({
  summary: 'Register by an invitation and accept it',
  permission: 'internal',
  input: {
    body: z.strictObject({
      token: invitationToken,
      password: newPasswordTyped,
      firstName: name.optional(),
      lastName: name.optional(),
    }),
  },
  output: z.discriminatedUnion('outcome', [
    z.strictObject({
      outcome: z.literal('accepted'),
      sessionToken: z.string(),
      expiresAt: timestamp,
      email: z.string(),
    }),
    z.strictObject({ outcome: z.literal('expired') }),
    z.strictObject({ outcome: z.literal('accountExists') }),
  ]),
  async handler({ body: { token, password, firstName = null, lastName = null }, ctx }) {
    const invitation = await findByToken(token);
    if (!invitation || !isOpen(invitation)) return { outcome: 'expired' as const };
    const { email } = invitation;
    if (await UserModel.findOne({ email }, { _id: 1 }).lean()) return { outcome: 'accountExists' as const };
    await requireGoodPassword(password, email);
    await call(ctx, 'access.memberships.require-room', { body: { orgId: invitation.orgId } });
    const user = newUser({
      email,
      passwordHash: await hashPassword(password, hashClientIn(ctx.meta, true)),
      profile: { firstName, lastName },
    });
    // Claimed for an account that does not exist yet: of concurrent calls one continues, and the sweep can complete it.
    const claimed = await claim(invitation, user._id);
    if (!claimed) return { outcome: 'expired' as const };
    if (!(await insertIfAbsent<UserDocument>(UserModel, user))) {
      await reopen(claimed);
      return { outcome: 'accountExists' as const };
    }
    await join(ctx, claimed);
    return { outcome: 'accepted' as const, email, ...(await welcome(ctx, user._id)) };
  },
});

async function welcome(ctx: Ctx, userId: string): Promise<{ sessionToken: string; expiresAt: string }> {
  const [actor, target] = [
    { type: 'user' as const, id: userId },
    { type: 'user', id: userId },
  ];
  await recordAuditEvent(ctx, { action: 'user.created', userId, actor, target });
  const { token, session } = await createSession(ctx, userId);
  return { sessionToken: token, expiresAt: session.expiresAt.toISOString() };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.invitations.register-and-accept': typeof registerAndAccept;
  }
}
