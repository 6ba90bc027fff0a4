import { z } from 'zod';
import { exampleId } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { pathId } from '../../../lib/path-text.ts';
import { systemRoles } from '../../../lib/roles.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import type { MembershipEntry } from './memberships.ts';
import { organizationPath } from './organizations.ts';

export const memberPath = organizationPath.extend({ userId: pathId('usr') });

/** A member as the organization sees them. `createdAt` is when they joined; an unset field is null. */
export const memberOutput = z
  .strictObject({
    userId: z.string(),
    role: z.enum(systemRoles),
    email: z.string().nullable(),
    displayName: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Member' });

export const exampleMember = {
  userId: exampleId('usr', 'grace'),
  role: 'member',
  email: 'grace@acme-bikes.example',
  displayName: 'Grace Hopper',
  createdAt: '2026-03-03T08:15:00.000Z',
  updatedAt: '2026-03-03T08:15:00.000Z',
} satisfies z.input<typeof memberOutput>;

type ShownUser = Pick<UserDocument, '_id' | 'email' | 'displayName'>;

/** The users by id, with the fields that an organization may see. */
export async function readUsers(userIds: string[]): Promise<Map<string, ShownUser>> {
  const users = await UserModel.find({ _id: { $in: userIds } }, { email: 1, displayName: 1 }).lean<ShownUser[]>();
  return new Map(users.map((user) => [user._id, user]));
}

export function toMemberResponse(
  membership: MembershipEntry,
  user: ShownUser | undefined,
): z.output<typeof memberOutput> {
  const { userId, role, createdAt, updatedAt } = membership;
  const { email = null, displayName = null } = user ?? {};
  return { userId, role, email, displayName, createdAt, updatedAt };
}
