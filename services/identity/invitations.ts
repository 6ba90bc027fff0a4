import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { requireRole, systemRoles } from '../../lib/contract/authorize.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, pathId, pathText, timestamp, toPage } from '../../lib/contract/input.ts';
import { day, fromNow, now } from '../../lib/data/clock.ts';
import { removeAcrossTenants } from '../../lib/data/collection.ts';
import { cutText } from '../../lib/format/graphemes.ts';
import { hashToken } from '../../lib/security/token-hash.ts';
import { type InvitationDocument, InvitationModel } from '../../models/identity/invitation.ts';
import { OrganizationModel } from '../../models/identity/organization.ts';
import { type UserDocument, UserModel } from '../../models/identity/user.ts';
import { brandedFields, brandOutput, toBrand } from './brand.ts';
import { requireCurrentRights } from './current-rights.ts';
import { organizationPath, orgIdOfSlug } from './organizations.ts';
import { nameOf } from './users.ts';

/** For how long an invitation is open, and for how long the list shows it afterwards. */
export const lifetime = 7 * day;
const kept = 90 * day;

export const invitationPath = organizationPath.extend({ invitationId: pathId('inv') });

/** A link may contain any text; only a possible token is looked up. */
export const invitationToken = pathText(/^[A-Za-z0-9_-]+$/)
  .max(200)
  .describe('The token of the mailed link.');

/** An invitation as the organization sees it, never with its token. */
export const invitationOutput = z
  .strictObject({
    id: z.string(),
    email: z.string().describe('The invited address.'),
    role: z.enum(systemRoles).describe('The role that the person gets.'),
    status: z
      .enum(['pending', 'accepted', 'revoked', 'expired'])
      .describe('`pending` is open; `expired` can be mailed again.'),
    invitedBy: z
      .strictObject({
        type: z.enum(['user', 'application']).describe('Whether a user or an application sent it.'),
        id: z.string().describe('The id of the user or application.'),
      })
      .describe('The user or application that sent it.'),
    expiresAt: timestamp,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Invitation' });

export const exampleInvitation = {
  id: exampleId('inv'),
  email: 'grace@acme-bikes.example',
  role: 'member',
  status: 'pending',
  invitedBy: { type: 'user', id: exampleId('usr') },
  expiresAt: '2026-03-09T09:30:00.000Z',
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof invitationOutput>;

export function toInvitationResponse(invitation: InvitationDocument): z.output<typeof invitationOutput> {
  const { _id: id, email, role, status, invitedBy, expiresAt, createdAt, updatedAt } = invitation;
  return {
    id,
    email,
    role,
    status: status === 'pending' && expiresAt <= now() ? 'expired' : status,
    invitedBy,
    expiresAt: expiresAt.toISOString(),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function isOpen({ status, expiresAt }: InvitationDocument): boolean {
  return status === 'pending' && expiresAt > now();
}

/** The unique key of the one open invitation of an address. */
export const openKeyOf = (orgId: string, email: string): string => `${orgId}:${email}`;

/** The organization's invitation of this id; throws NOT_FOUND, also for another organization's. */
export async function findInvitation(orgId: string, invitationId: string): Promise<InvitationDocument> {
  const found = await InvitationModel.findOne({ orgId, _id: invitationId }).lean<InvitationDocument>();
  if (!found) throw apiError('NOT_FOUND', { message: 'The organization has no such invitation.' });
  return found;
}

/** The invitation that a token was mailed for, in any state; null when there is none, or it has a newer token. */
export async function findByToken(token: string): Promise<InvitationDocument | null> {
  const ofToken = { tokenHash: hashToken(token) };
  return await InvitationModel.findOne(ofToken, null, { acrossTenants: true }).lean<InvitationDocument>();
}

/** Removes invitations that ended long ago. */
export async function sweepInvitations(signal?: AbortSignal): Promise<void> {
  const old = { expiresAt: { $lte: fromNow(-kept) } };
  await removeAcrossTenants(InvitationModel, old, signal);
}

/** GET /organizations/:slug/invitations: the invitations of the last months in every state, the newest first. */
export const listInvitations = defineAction({
  rest: 'GET /organizations/:slug/invitations',
  summary: "List an organization's invitations",
  description:
    'Returns the invitations of the organization in every state, the newest first. An invitation is listed until ' +
    '90 days after it expired.',
  permission: 'console.orgs.read',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: organizationPath, query: z.strictObject(pageQuery) },
  output: pageOf(invitationOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { slug: 'acme-bikes' },
    query: { limit: '20' },
    output: { data: [exampleInvitation], nextCursor: null },
  },
  async handler({ query, caller: { orgId } }) {
    const before = decodeCursor(query.cursor, 1)?.[0];
    const older = before === undefined ? {} : { _id: { $lt: before } };
    const invitations = await InvitationModel.find({ orgId, ...older })
      .sort({ _id: -1 })
      .limit(query.limit + 1)
      .lean<InvitationDocument[]>();
    return toPage(invitations, query.limit, ({ _id }) => [_id], toInvitationResponse);
  },
});

const maxNameLength = 200;

/** The name of an inviting user, as the recipient may know them; null for an application, which recipients do not know. */
export async function nameOfInviter({ type, id }: InvitationDocument['invitedBy']): Promise<string | null> {
  if (type === 'application') return null;
  const user = await UserModel.findOne({ _id: id }).lean<UserDocument>();
  return user && cutText(nameOf(user) ?? user.email, maxNameLength);
}

/**
 * `identity.invitations.preview`, for the page behind the mailed link: the details of the invitation, if it is open, and
 * the organization that was joined, if it was accepted.
 */
export const previewInvitation = defineAction({
  summary: 'Read an open or accepted invitation by its token',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ token: invitationToken }) },
  output: z.strictObject({
    invitation: z
      .strictObject({
        organizationName: z.string(),
        organizationBrand: brandOutput,
        /** Null for an application. */
        inviterName: z.string().nullable(),
        role: z.enum(systemRoles),
        email: z.string(),
        /** Whether the address is the login of an account. */
        accountExists: z.boolean(),
      })
      .nullable(),
    joined: z.strictObject({ organizationName: z.string() }).nullable(),
  }),
  async handler({ body: { token } }) {
    const nothing = { invitation: null, joined: null };
    const invitation = await findByToken(token);
    if (!invitation) return nothing;
    const { orgId, email, role, acceptedBy } = invitation;
    const present = { _id: orgId, status: 'active' as const };
    const organization = await OrganizationModel.findOne(present, { name: 1, ...brandedFields }).lean();
    if (!organization) return nothing;
    const { name: organizationName } = organization;
    const organizationBrand = toBrand(organization);
    if (acceptedBy !== null) return { ...nothing, joined: { organizationName } };
    if (!isOpen(invitation)) return nothing;
    const [inviterName, user] = await Promise.all([
      nameOfInviter(invitation.invitedBy),
      UserModel.findOne({ email }, { _id: 1 }).lean(),
    ]);
    const accountExists = user !== null;
    const shown = { organizationName, organizationBrand, inviterName, role, email, accountExists };
    return { ...nothing, invitation: shown };
  },
});

/**
 * DELETE /organizations/:slug/invitations/:invitationId: revokes an invitation for a role that the caller could give.
 */
export const revokeInvitation = defineAction({
  rest: 'DELETE /organizations/:slug/invitations/:invitationId',
  summary: 'Revoke an invitation',
  description:
    'Revokes an open invitation, whose link then stops working. You need the right to give its role. An invitation ' +
    'that was accepted or revoked before is `INVITATION_NOT_OPEN`.',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: invitationPath },
  output: z.void(),
  errors: ['NOT_FOUND', 'SCOPE_NOT_HELD', 'OWNER_REQUIRED', 'INVITATION_NOT_OPEN'],
  example: { path: { slug: 'acme-bikes', invitationId: exampleInvitation.id } },
  async handler({ path: { invitationId }, caller, ctx }) {
    const { orgId } = caller;
    const { email, role } = await findInvitation(orgId, invitationId);
    requireRole(await requireCurrentRights(ctx, caller, 'console.orgs.write'), role);
    const { modifiedCount } = await InvitationModel.updateOne(
      { orgId, _id: invitationId, status: 'pending' },
      { $set: { status: 'revoked', openKey: invitationId, updatedAt: now() } },
    );
    if (modifiedCount === 0) throw apiError('INVITATION_NOT_OPEN');
    await recordAuditEvent(ctx, {
      action: 'invitation.revoked',
      orgId,
      target: { type: 'invitation', id: invitationId },
      before: { email, role },
    });
  },
});
