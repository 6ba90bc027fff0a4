import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import type { SystemRole } from '../../lib/contract/authorize.ts';
import { type Ctx, call } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError, isError } from '../../lib/contract/errors.ts';
import { exampleId } from '../../lib/contract/examples.ts';
import { timestamp } from '../../lib/contract/input.ts';
import { fromNow, minute, now, second } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { isDuplicateKey } from '../../lib/data/database-errors.ts';
import { personName } from '../../lib/format/public-names.ts';
import { type InvitationDocument, InvitationModel } from '../../models/identity/invitation.ts';
import { type UserDocument, UserModel } from '../../models/identity/user.ts';
import { newUser } from './accounts/new-user.ts';
import { hashClientIn, hashPassword, newPasswordTyped, requireGoodPassword } from './accounts/password.ts';
import { enterDirectory } from './directory/directory.ts';
import { findByToken, invitationToken, isOpen, openKeyOf } from './invitations.ts';
import {
  changeMembership,
  exampleMember,
  findMembership,
  type MembershipEntry,
  memberOutput,
  toMemberResponse,
} from './members.ts';
import { findOrganization, isOrganizationActive } from './organizations.ts';
import { requireAllowedEmail } from './security.ts';
import { createSession } from './sessions.ts';
import { requireInForce } from './suspension.ts';
import { readCurrentUser } from './users.ts';

/** After this time an accepted invitation without a membership counts as abandoned by a dead process. */
const grace = minute;
/** How far the clocks of two nodes may differ, in milliseconds. */
const clocksDiffer = 5 * second;

/** An invitation that a user has accepted. No other user can accept it. */
export type Accepted = InvitationDocument & { acceptedBy: string };

/**
 * Claims an open invitation for a user; one of concurrent calls succeeds. Null when it is not open, or has another
 * token.
 */
export async function claim(invitation: InvitationDocument, userId: string): Promise<Accepted | null> {
  const { orgId, _id, tokenHash } = invitation;
  const claimed = {
    status: 'accepted',
    acceptedBy: userId,
    joinBy: fromNow(grace),
    openKey: _id,
    updatedAt: now(),
  } as const;
  const open = { orgId, _id, tokenHash, status: 'pending' as const, expiresAt: { $gt: now() } };
  const { modifiedCount } = await InvitationModel.updateOne(open, { $set: claimed });
  return modifiedCount === 1 ? { ...invitation, ...claimed } : null;
}

/** Reopens an invitation whose user did not become a member; it ends when there is a newer one. */
export async function reopen({ orgId, _id, email, acceptedBy }: Accepted): Promise<void> {
  const unused = { orgId, _id, status: 'accepted' as const, acceptedBy, joinBy: { $ne: null } };
  const pending = { status: 'pending' as const, acceptedBy: null, joinBy: null, openKey: openKeyOf(orgId, email) };
  try {
    await InvitationModel.updateOne(unused, { $set: pending });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await InvitationModel.updateOne(unused, { $set: { status: 'revoked', acceptedBy: null, joinBy: null } });
  }
}

/**
 * Makes the user who accepted an invitation a member; a present member keeps their role. May be repeated until it is
 * done. False when the organization or the user is gone.
 *
 * @throws PLAN_LIMIT_EXCEEDED the organization has no room; then the invitation is open again.
 */
export async function join(ctx: Ctx, invitation: Accepted): Promise<boolean> {
  const { orgId, _id, role, acceptedBy: userId } = invitation;
  if (!(await isOrganizationActive(orgId))) return false;
  const isAdded = await add(ctx, { orgId, userId, role }).catch(async (error) => {
    if (isError(error, 'PLAN_LIMIT_EXCEEDED')) await reopen(invitation);
    throw error;
  });
  if (isAdded === null) return false;
  // A deletion of the organization or of the user that began before has not seen the new member.
  if (!((await isOrganizationActive(orgId)) && (await isUserActive(userId)))) {
    if (isAdded) await changeMembership(ctx, { orgId, userId, role: null, isByCaller: false }).catch(ignoreMissing);
    return false;
  }
  await enterDirectory(orgId, userId);
  const unfinished = { orgId, _id, acceptedBy: userId, joinBy: { $ne: null } };
  const { modifiedCount } = await InvitationModel.updateOne(unfinished, { $set: { joinBy: null } });
  if (modifiedCount === 1) await recordJoin(ctx, invitation, isAdded || (await hasJustJoined(ctx, invitation)));
  return true;
}

/** Whether this made the user a member; null when the organization or the user no longer exists. */
async function add(ctx: Ctx, member: { orgId: string; userId: string; role: SystemRole }): Promise<boolean | null> {
  try {
    return (await call(ctx, 'access.memberships.add', { body: member })).isAdded;
  } catch (error) {
    ignoreMissing(error);
    return null;
  }
}

function ignoreMissing(error: unknown): void {
  if (!isError(error, 'NOT_FOUND')) throw error;
}

/**
 * Whether another process, which completed the same acceptance or died during it, made the user a member after they
 * accepted.
 */
async function hasJustJoined(ctx: Ctx, { orgId, acceptedBy, role, updatedAt }: Accepted): Promise<boolean> {
  const membership = await findMembership(ctx, orgId, acceptedBy);
  if (membership?.role !== role) return false;
  return new Date(membership.createdAt).getTime() > updatedAt.getTime() - clocksDiffer;
}

/** Recorded by the one of concurrent calls that completes the acceptance. */
async function recordJoin(
  ctx: Ctx,
  { orgId, _id, email, role, acceptedBy: userId }: Accepted,
  isNew: boolean,
): Promise<void> {
  const actor = ctx.meta.caller ? {} : { actor: { type: 'user' as const, id: userId } };
  const accepted = { type: 'invitation', id: _id };
  await recordAuditEvent(ctx, { action: 'invitation.accepted', orgId, ...actor, target: accepted, after: { email } });
  if (!isNew) return;
  const added = { type: 'user', id: userId };
  await recordAuditEvent(ctx, { action: 'member.added', orgId, ...actor, target: added, after: { role } });
}

async function isUserActive(userId: string): Promise<boolean> {
  return (await UserModel.findOne({ _id: userId, status: 'active' }, { _id: 1 }).lean()) !== null;
}

/** Completes acceptances whose process died before the membership. */
export async function sweepJoins(ctx: Ctx): Promise<void> {
  const across = { acrossTenants: true };
  const unfinished = await InvitationModel.find({ joinBy: { $lte: now() } }, null, across).lean<Accepted[]>();
  const failures: unknown[] = [];
  for (const invitation of unfinished) {
    // A failure does not delay the others.
    await completeJoin(ctx, invitation).catch((error) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function completeJoin(ctx: Ctx, invitation: Accepted): Promise<void> {
  const user = await UserModel.findOne({ _id: invitation.acceptedBy }, { _id: 1 }).lean();
  if (!user) return reopen(invitation);
  await join(ctx, invitation).catch((error) => {
    if (!isError(error, 'PLAN_LIMIT_EXCEEDED')) throw error;
  });
}

/**
 * POST /organizations/invitations/:token/accept: makes the user who is logged in a member, if the invited address is
 * one of theirs that they have verified. It works once; a repetition gets the same answer for as long as the user is a
 * member.
 */
export const acceptInvitation = defineAction({
  rest: 'POST /organizations/invitations/:token/accept',
  summary: 'Accept an invitation into an organization',
  description:
    'Makes the signed-in user a member of the organization that invited them. The invited address must be one of ' +
    'their verified email contacts; otherwise the answer is `PERMISSION_DENIED`. A repetition gets the same answer ' +
    'as long as the user is a member. If the plan has no room (`PLAN_LIMIT_EXCEEDED`), or the organization no longer ' +
    'admits the domain of the address (`EMAIL_DOMAIN_NOT_ALLOWED`), the invitation stays open.',
  permission: 'session',
  input: { path: z.strictObject({ token: invitationToken }) },
  output: memberOutput
    .extend({
      organization: z
        .strictObject({ id: z.string(), slug: z.string(), name: z.string() })
        .describe('The organization that the user has joined.'),
    })
    .meta({ id: 'AcceptedMembership' }),
  errors: [
    'NOT_FOUND',
    'PERMISSION_DENIED',
    'INVITATION_NOT_OPEN',
    'PLAN_LIMIT_EXCEEDED',
    'ORGANIZATION_SUSPENDED',
    'EMAIL_DOMAIN_NOT_ALLOWED',
  ],
  example: {
    path: { token: 'example'.padEnd(32, '0') },
    output: {
      ...exampleMember,
      organization: { id: exampleId('org'), slug: 'acme-bikes', name: 'Acme Bikes' },
    },
  },
  async handler({ path: { token }, caller: { id: userId }, ctx }) {
    const invitation = await findByToken(token);
    if (!invitation)
      throw apiError('NOT_FOUND', { message: 'There is no such invitation, or a newer mail replaced it.' });
    const user = await readCurrentUser(userId);
    rejectOthers(user, invitation);
    await requireInForce(invitation.orgId);
    if (isOpen(invitation)) await requireAllowedEmail(invitation.orgId, invitation.email);
    const membership = await becomeMember(ctx, invitation, userId);
    const { _id: id, slug, name } = await findOrganization(invitation.orgId);
    return { ...toMemberResponse(membership, user), organization: { id, slug, name } };
  },
});

/** The refusal does not reveal the invited address to a holder of the link. */
function rejectOthers({ contacts }: UserDocument, { email }: InvitationDocument): void {
  const isTheirs = contacts.some(
    ({ type, value, verifiedAt }) => type === 'email' && value === email && verifiedAt !== null,
  );
  if (isTheirs) return;
  throw apiError('PERMISSION_DENIED', {
    message: 'This invitation was sent to another address; log in with the account that has it.',
  });
}

async function becomeMember(ctx: Ctx, invitation: InvitationDocument, userId: string): Promise<MembershipEntry> {
  const claimed = (await claim(invitation, userId)) ?? (await readAccepted(invitation, userId));
  if (claimed.joinBy !== null && !(await join(ctx, claimed))) throw apiError('NOT_FOUND');
  const membership = await findMembership(ctx, invitation.orgId, userId);
  // The member was removed or suspended since: the invitation does not restore the membership.
  if (!membership || membership.suspendedAt !== null) throw apiError('INVITATION_NOT_OPEN');
  return membership;
}

/** The invitation as it is now, if this user accepted it before or at the same time. */
async function readAccepted({ orgId, _id }: InvitationDocument, userId: string): Promise<Accepted> {
  const accepted = { orgId, _id, status: 'accepted' as const, acceptedBy: userId };
  const found = await InvitationModel.findOne(accepted).lean<Accepted>();
  if (!found) throw apiError('INVITATION_NOT_OPEN');
  return found;
}

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
    await requireInForce(invitation.orgId);
    await requireAllowedEmail(invitation.orgId, email);
    await requireGoodPassword(password, email);
    await call(ctx, 'access.memberships.require-room', { body: { orgId: invitation.orgId } });
    const user = newUser({
      email,
      passwordHash: await hashPassword(password, hashClientIn(ctx.meta, true)),
      profile: { firstName, lastName, language: ctx.meta.language ?? null },
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
