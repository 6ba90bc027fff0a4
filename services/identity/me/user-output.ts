import { z } from 'zod';
import type { UserCaller } from '../../../lib/caller.ts';
import { fail } from '../../../lib/errors.ts';
import { systemRoles } from '../../../lib/roles.ts';
import { type OrganizationDocument, OrganizationModel } from '../../../models/identity/organization.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';

const text = z.string().nullable();

/** A user as they see themselves; a field that a client's token may not see, or that is not set, is null. */
export const userOutput = z.strictObject({
  type: z.literal('user'),
  id: z.string(),
  email: text,
  emailVerified: z.boolean().nullable(),
  firstName: text,
  middleName: text,
  lastName: text,
  preferredName: text,
  birthDate: text,
  gender: text,
  displayName: text,
  avatarUrl: text,
  organizations: z.array(
    z.strictObject({ id: z.string(), slug: z.string(), name: z.string(), role: z.enum(systemRoles) }),
  ),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** The user a session or token belongs to, with their organizations. */
export async function readUserOfToken(caller: UserCaller): Promise<z.output<typeof userOutput>> {
  const user = await UserModel.findOne({ _id: caller.id, status: 'active' }).lean<UserDocument>();
  if (!user) throw fail('CREDENTIAL_INVALID');
  const sees = (scope: string): boolean => caller.granted?.includes(scope) ?? true;
  const profile = (value: string | null): string | null => (sees('profile') ? value : null);
  return {
    type: 'user',
    id: user._id,
    email: sees('email') ? user.email : null,
    emailVerified: sees('email') ? true : null,
    firstName: profile(user.firstName),
    middleName: profile(user.middleName),
    lastName: profile(user.lastName),
    preferredName: profile(user.preferredName),
    birthDate: profile(user.birthDate),
    gender: profile(user.gender),
    displayName: profile(user.displayName),
    avatarUrl: profile(user.avatarUrl),
    organizations: await organizationsOf(caller),
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}

/** A client acts in its own organization alone, so it is told of no other. */
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
