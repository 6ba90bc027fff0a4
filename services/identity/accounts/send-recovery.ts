import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import { requireMail } from '../../../lib/clients/mail.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { pathId } from '../../../lib/contract/input.ts';
import { findMember } from '../users.actions.ts';
import { exampleMember } from '../users.ts';
import { mailLink } from './account-mails.ts';
import { consumeMailQuotaOfUser, requireMailQuota } from './attempts.ts';

/**
 * POST /identity/users/:userId/recovery: mails a member, at the address they log in with, the link by which they choose
 * a new password. Until they use it, nothing changes.
 */
export const sendRecovery = defineAction({
  rest: 'POST /identity/users/:userId/recovery',
  summary: 'Mail a user a link to choose a new password',
  description:
    'Mails a member, at the address they sign in with, a link by which they choose a new password. Nothing changes ' +
    'until they use it. A user who was mailed several times within an hour is `RATE_LIMITED`.',
  permission: 'console.users.write',
  organization: ({ query }) => query.orgId,
  input: {
    path: z.strictObject({ userId: pathId('usr') }),
    query: z.strictObject({ orgId: z.string().optional() }),
  },
  output: z
    .strictObject({ userId: z.string(), status: z.literal('mailed').describe('The link is on its way.') })
    .meta({ id: 'RecoveryMail' }),
  status: 202,
  errors: ['NOT_FOUND', 'MAIL_DISABLED'],
  // An operation has one link, and the mail service sends a link once.
  idempotent: { resume: 'rerun' },
  example: {
    path: { userId: exampleMember.id },
    query: { orgId: exampleId('org') },
    output: { userId: exampleMember.id, status: 'mailed' },
  },
  async handler({ path: { userId }, caller, operation, ctx }) {
    const { orgId } = caller;
    const { user } = await findMember(ctx, orgId, userId);
    await requireMail(ctx);
    await consumeMailQuotaOfUser(caller.id);
    await requireMailQuota('recovery', user.email, 'This user was mailed several times within the last hour.');
    await mailLink(ctx, { kind: 'recovery', email: user.email, returnTo: null }, operation);
    await recordAuditEvent(ctx, {
      id: operation.newId('aud'),
      action: 'recovery.requested',
      orgId,
      target: { type: 'user', id: userId },
    });
    return { userId, status: 'mailed' as const };
  },
});
