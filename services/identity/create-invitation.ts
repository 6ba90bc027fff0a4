import type { Context } from 'moleculer';
import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { requireMail } from '../../lib/clients/mail.ts';
import { requireRole, systemRoles } from '../../lib/contract/authorize.ts';
import { type Caller, type Ctx, call } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError, type ErrorCode, isError } from '../../lib/contract/errors.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import { fromNow, now } from '../../lib/data/clock.ts';
import { nativeCollection } from '../../lib/data/collection.ts';
import { isDuplicateKey } from '../../lib/data/database-errors.ts';
import { emailInput } from '../../lib/format/email-address.ts';
import { hashToken } from '../../lib/security/token-hash.ts';
import { type InvitationDocument, InvitationModel } from '../../models/identity/invitation.ts';
import { UserModel } from '../../models/identity/user.ts';
import { tokenOf } from './accounts/mailed-tokens.ts';
import { requireCurrentRights } from './current-rights.ts';
import { mailInvitation, takeInvitationMail } from './invitation-mail.ts';
import {
  exampleInvitation,
  findInvitation,
  invitationOutput,
  invitationPath,
  isOpen,
  lifetime,
  openKeyOf,
  toInvitationResponse,
} from './invitations.ts';
import { findMembership } from './members.ts';
import { isOrganizationActive, organizationPath, orgIdOfSlug } from './organizations.ts';
import { requireAllowedEmail } from './security.ts';

const maxOpen = 100;

/**
 * POST /organizations/:slug/invitations: mails an invitation link for a role not above the caller's own. It works for
 * seven days, once, and only for the owner of that address.
 */
export const createInvitation = defineAction({
  rest: 'POST /organizations/:slug/invitations',
  summary: 'Invite a person to an organization',
  description:
    'Mails an invitation to a person; its link works once, for seven days, and only for the owner of that address. ' +
    'You cannot invite to a role above your own. `ALREADY_MEMBER` and `INVITATION_PENDING` mean that there is ' +
    'nothing to invite to; at most 100 invitations are open at a time (`LIMIT_REACHED`).',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: {
    path: organizationPath,
    body: z
      .strictObject({
        email: emailInput.describe('The address to which the link is mailed.'),
        role: z.enum(systemRoles).describe('The role that the person gets. It must not be above your own.'),
      })
      .meta({ id: 'InvitationInput' }),
  },
  output: invitationOutput,
  status: 201,
  errors: [
    'NOT_FOUND',
    'SCOPE_NOT_HELD',
    'OWNER_REQUIRED',
    'EMAIL_DOMAIN_NOT_ALLOWED',
    'ALREADY_MEMBER',
    'INVITATION_PENDING',
    'PLAN_LIMIT_EXCEEDED',
    'LIMIT_REACHED',
    'MAIL_DISABLED',
  ],
  idempotent: {
    async resume({ caller: { orgId }, operation, ctx }) {
      const made = { orgId, _id: operation.newId('inv') };
      const invitation = await InvitationModel.findOne(made).lean<InvitationDocument>();
      return invitation && (await complete(ctx, operation, invitation));
    },
  },
  example: {
    path: { slug: 'acme-bikes' },
    body: { email: exampleInvitation.email, role: exampleInvitation.role },
    output: exampleInvitation,
  },
  async handler({ body: { email, role }, caller, operation, ctx }) {
    const { orgId } = caller;
    requireRole(await requireCurrentRights(ctx, caller, 'console.orgs.write'), role);
    await requireAllowedEmail(orgId, email);
    await requireMail(ctx);
    await rejectMember(ctx, caller, email);
    await makeRoom(orgId, email);
    // The limit is enforced when the member joins. The check here lets the inviting user upgrade in time.
    await call(ctx, 'access.memberships.require-room', { body: { orgId } });
    await takeInvitationMail(caller, ctx.meta, email);
    const invitation = newInvitation(operation, {
      orgId,
      email,
      role,
      invitedBy: { type: caller.type, id: caller.id },
    });
    await insert(invitation);
    return await complete(ctx, operation, invitation);
  },
});

/** Completes the operation after the insert. Idempotent: the mail service sends the mail of a token once. */
async function complete(ctx: Ctx, operation: Operation, invitation: InvitationDocument) {
  await removeIfOrphan(invitation);
  if (invitation.status === 'pending') await mailOrRemove(ctx, operation, invitation);
  const { _id, orgId, email, role } = invitation;
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: 'invitation.created',
    orgId,
    target: { type: 'invitation', id: _id },
    after: { email, role },
  });
  return toInvitationResponse(invitation);
}

type Inviter = Caller & { orgId: string };

/**
 * Throws ALREADY_MEMBER when the address is the login of a member, or a contact of the inviting user. Other contacts of
 * members are compared on acceptance only.
 */
async function rejectMember(ctx: Context, { orgId, id }: Inviter, email: string): Promise<void> {
  const own = { _id: id, 'contacts.value': email };
  const user = await UserModel.findOne({ $or: [{ email }, own] }, { _id: 1 }).lean();
  if (user && (await findMembership(ctx, orgId, user._id))) throw apiError('ALREADY_MEMBER');
}

/**
 * Releases the place of an expired invitation for a new one. Refuses an open one here too, before a mail is counted.
 */
async function makeRoom(orgId: string, email: string): Promise<void> {
  const existing = await InvitationModel.findOne({
    orgId,
    openKey: openKeyOf(orgId, email),
  }).lean<InvitationDocument>();
  if (existing && isOpen(existing)) throw apiError('INVITATION_PENDING');
  if (existing) {
    const { _id, expiresAt } = existing;
    await InvitationModel.updateOne({ orgId, _id, status: 'pending', expiresAt }, { $set: { openKey: _id } });
  }
  const open = await InvitationModel.countDocuments({ orgId, status: 'pending', expiresAt: { $gt: now() } });
  if (open < maxOpen) return;
  throw apiError('LIMIT_REACHED', { message: `At most ${maxOpen} invitations can be open; revoke one first.` });
}

type Given = Pick<InvitationDocument, 'orgId' | 'email' | 'role' | 'invitedBy'>;

function newInvitation(operation: Operation, fields: Given): InvitationDocument {
  const at = now();
  return {
    _id: operation.newId('inv'),
    ...fields,
    tokenHash: hashToken(tokenOf(operation)),
    status: 'pending',
    openKey: openKeyOf(fields.orgId, fields.email),
    acceptedBy: null,
    joinBy: null,
    expiresAt: fromNow(lifetime),
    createdAt: at,
    updatedAt: at,
  };
}

async function insert(invitation: InvitationDocument): Promise<void> {
  try {
    await nativeCollection<InvitationDocument>(InvitationModel).insertOne(invitation);
  } catch (error) {
    throw isDuplicateKey(error) ? apiError('INVITATION_PENDING') : error;
  }
}

/** A deletion of the organization that began before the invitation was made has not seen it. */
async function removeIfOrphan({ orgId, _id }: InvitationDocument): Promise<void> {
  if (await isOrganizationActive(orgId)) return;
  await InvitationModel.deleteOne({ orgId, _id });
  throw apiError('NOT_FOUND');
}

/** Removes an invitation that cannot be mailed, unless the outcome is unknown and a retry will mail it. */
async function mailOrRemove(ctx: Ctx, operation: Operation, invitation: InvitationDocument): Promise<void> {
  const { orgId, _id, tokenHash } = invitation;
  const token = tokenOf(operation);
  // Mailed again since, with a newer token.
  if (tokenHash !== hashToken(token)) return;
  try {
    await mailInvitation(ctx, invitation, token);
  } catch (error) {
    const isRetried = operation.isKeyed && !isError(error, 'INPUT_INVALID');
    if (!isRetried) await InvitationModel.deleteOne({ orgId, _id });
    throw error;
  }
}

/** More than the mails of a day, any of which may be retried. */
const maxOperations = 150;

/**
 * POST /organizations/:slug/invitations/:invitationId/resend: mails a new link, for seven days from now, and
 * invalidates the previous one. An expired invitation is open again.
 */
export const resendInvitation = defineAction({
  rest: 'POST /organizations/:slug/invitations/:invitationId/resend',
  summary: 'Mail an invitation again, with a new link',
  description:
    'Mails a new link that works for seven days, and invalidates the previous link. An expired invitation is open ' +
    'again. An invitation that was accepted or revoked is `INVITATION_NOT_OPEN`.',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: invitationPath },
  output: invitationOutput,
  errors: [
    'NOT_FOUND',
    'SCOPE_NOT_HELD',
    'OWNER_REQUIRED',
    'EMAIL_DOMAIN_NOT_ALLOWED',
    'INVITATION_NOT_OPEN',
    'INVITATION_PENDING',
    'CONFLICT',
    'MAIL_DISABLED',
  ],
  idempotent: {
    async resume({ path: { invitationId }, caller: { orgId }, operation, ctx }) {
      const renewed = { orgId, _id: invitationId, operations: operation.key };
      const invitation = await InvitationModel.findOne(renewed).lean<InvitationDocument>();
      return invitation && (await completeResend(ctx, operation, invitation));
    },
  },
  example: {
    path: { slug: 'acme-bikes', invitationId: exampleInvitation.id },
    output: {
      ...exampleInvitation,
      expiresAt: '2026-03-09T15:00:00.000Z',
      updatedAt: '2026-03-02T15:00:00.000Z',
    },
  },
  async handler({ path: { invitationId }, caller, operation, ctx }) {
    const { orgId } = caller;
    const invitation = await findInvitation(orgId, invitationId);
    requireRole(await requireCurrentRights(ctx, caller, 'console.orgs.write'), invitation.role);
    if (invitation.status !== 'pending') throw apiError('INVITATION_NOT_OPEN');
    await requireAllowedEmail(orgId, invitation.email);
    await requireMail(ctx);
    await takeInvitationMail(caller, ctx.meta, invitation.email);
    return await completeResend(ctx, operation, await renew(invitation, operation));
  },
});

/** Completes the operation after the renewal. Idempotent: the mail service sends the mail of a token once. */
async function completeResend(ctx: Ctx, operation: Operation, invitation: InvitationDocument) {
  const token = tokenOf(operation);
  const { _id, orgId, tokenHash, status } = invitation;
  // Unless it was mailed again since, with a newer token, or is no longer open.
  if (tokenHash === hashToken(token) && status === 'pending') await mailInvitation(ctx, invitation, token);
  const target = { type: 'invitation', id: _id };
  await recordAuditEvent(ctx, { id: operation.newId('aud'), action: 'invitation.resent', orgId, target });
  return toInvitationResponse(invitation);
}

/**
 * Sets a new token and expiry, and reserves the place of its address again, which an expired invitation may have lost
 * to another one. An operation renews it once.
 */
async function renew(invitation: InvitationDocument, operation: Operation): Promise<InvitationDocument> {
  const { orgId, _id, email, tokenHash, operations = [] } = invitation;
  const changes = {
    tokenHash: hashToken(tokenOf(operation)),
    operations: [operation.key, ...operations].slice(0, maxOperations),
    openKey: openKeyOf(orgId, email),
    expiresAt: fromNow(lifetime),
    updatedAt: now(),
  };
  try {
    const renewed = await InvitationModel.findOneAndUpdate(
      { orgId, _id, status: 'pending', tokenHash },
      { $set: changes },
      { returnDocument: 'after' },
    ).lean<InvitationDocument>();
    if (!renewed) throw apiError(await refusalOf(invitation));
    return renewed;
  } catch (error) {
    throw isDuplicateKey(error) ? apiError('INVITATION_PENDING') : error;
  }
}

/** The reason why it was not renewed: it is no longer open, or a concurrent request renewed it. */
async function refusalOf({ orgId, _id }: InvitationDocument): Promise<ErrorCode> {
  const { status } = await findInvitation(orgId, _id);
  return status === 'pending' ? 'CONFLICT' : 'INVITATION_NOT_OPEN';
}
