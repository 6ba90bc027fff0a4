import { z } from 'zod';
import { day, fromNow, now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { pathId, pathText } from '../../../lib/path-text.ts';
import { removeAcrossTenants } from '../../../lib/remove-up-to.ts';
import { systemRoles } from '../../../lib/roles.ts';
import { hashToken } from '../../../lib/token-hash.ts';
import { type InvitationDocument, InvitationModel } from '../../../models/identity/invitation.ts';
import { organizationPath } from '../organizations/organizations.ts';

/** For how long an invitation is open, and for how long the list shows it afterwards. */
export const lifetime = 7 * day;
const kept = 90 * day;

export const invitationPath = organizationPath.extend({ invitationId: pathId('inv') });

/** A link may contain any text; only a possible token is looked up. */
export const invitationToken = pathText(/^[A-Za-z0-9_-]+$/).max(200);

/** An invitation as the organization sees it, never with its token. */
export const invitationOutput = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    role: z.enum(systemRoles),
    status: z.enum(['pending', 'accepted', 'revoked', 'expired']),
    invitedBy: z.strictObject({ type: z.enum(['user', 'application']), id: z.string() }),
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
