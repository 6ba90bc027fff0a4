import { z } from 'zod';
import { type SystemRole, systemRoles } from '../../../lib/roles.ts';
import type { UserDocument } from '../../../models/identity/user.ts';
import { isEmailVerified, profileOf, profileOutput } from './profile.ts';

/** A user as an organization's administrators see them, with their role. Contacts and addresses are private. */
export const memberOutput = z.strictObject({
  id: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  ...profileOutput,
  role: z.enum(systemRoles),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export function showMember(user: UserDocument, role: SystemRole): z.output<typeof memberOutput> {
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
