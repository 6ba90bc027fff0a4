import { z } from 'zod';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { type SystemRole, systemRoles } from '../../../lib/roles.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { isEmailVerified, profileOf, profileOutput } from './profile.ts';

/** A user as an organization's administrators see them, with their role. Contacts and addresses are private. */
export const memberOutput = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    ...profileOutput,
    role: z.enum(systemRoles),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'User' });

export const exampleMember = {
  id: exampleId('usr', 'grace'),
  email: 'grace@acme-bikes.example',
  emailVerified: true,
  firstName: 'Grace',
  middleName: null,
  lastName: 'Hopper',
  preferredName: null,
  birthDate: null,
  gender: null,
  displayName: 'Grace Hopper',
  avatarUrl: null,
  role: 'member',
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof memberOutput>;

export function toMemberResponse(user: UserDocument, role: SystemRole): z.output<typeof memberOutput> {
  return {
    id: user._id,
    email: user.email,
    emailVerified: isEmailVerified(user),
    ...profileOf(user),
    role,
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}
