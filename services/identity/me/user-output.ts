import { z } from 'zod';
import type { UserCaller } from '../../../lib/caller.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { systemRoles } from '../../../lib/roles.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { exampleProfile, isEmailVerified, profileOf, profileOutput } from '../users/profile.ts';

/** A user as they see themselves; a field that a client's token may not see, or that is not set, is null. */
export const userOutput = z
  .strictObject({
    type: z.literal('user'),
    id: z.string(),
    email: z.string().nullable(),
    emailVerified: z.boolean().nullable(),
    ...profileOutput,
    organizations: z.array(
      z.strictObject({ id: z.string(), slug: z.string(), name: z.string(), role: z.enum(systemRoles) }),
    ),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'CurrentUser' });

export const exampleUser = {
  type: 'user',
  id: exampleId('usr'),
  email: 'ada@acme-bikes.example',
  emailVerified: true,
  ...exampleProfile,
  organizations: [{ id: exampleId('org'), slug: 'acme-bikes', name: 'Acme Bikes', role: 'owner' }],
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof userOutput>;

/** A user with their organizations, as far as the session or token of the request may see them. */
export async function toUserResponse(user: UserDocument, caller: UserCaller): Promise<z.output<typeof userOutput>> {
  const sees = (scope: string): boolean => caller.granted?.includes(scope) ?? true;
  return {
    type: 'user',
    id: user._id,
    email: sees('email') ? user.email : null,
    emailVerified: sees('email') ? isEmailVerified(user) : null,
    ...profileOf(user, sees('profile')),
    organizations: await organizationsOf(caller),
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}

/** Omits the other organizations for a client, which acts in its own organization only. */
async function organizationsOf({ memberships, clientId, orgId }: UserCaller) {
  const seen = memberships.filter((membership) => clientId === undefined || membership.orgId === orgId);
  const ids = seen.map((membership) => membership.orgId);
  const found = await OrganizationModel.find({ _id: { $in: ids } }).lean<OrganizationDocument[]>();
  return seen.flatMap((membership) => {
    const organization = found.find(({ _id }) => _id === membership.orgId);
    return organization
      ? [{ id: organization._id, slug: organization.slug, name: organization.name, role: membership.role }]
      : [];
  });
}
