import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { second } from '../../../lib/clock.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { isEmailVerified } from '../users/profile.ts';

/** The standard claims of OpenID Connect Core 5.1 that are known of a user; what is not set is absent. */
const claimsOutput = z.record(z.string(), z.union([z.string(), z.boolean(), z.number()]));

/** `identity.oauth.claims.read`, for the gateway: the claims of an active user; null for any other id. */
export const readClaims = defineAction({
  summary: "Read a user's claims",
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ userId: z.string() }) },
  output: z.strictObject({ claims: claimsOutput.nullable() }),
  async handler({ body: { userId } }) {
    const user = await UserModel.findOne({ _id: userId, status: 'active' }).lean<UserDocument>();
    return { claims: user && claimsOf(user) };
  },
});

function claimsOf(user: UserDocument): z.input<typeof claimsOutput> {
  const claims = {
    sub: user._id,
    name: user.displayName ?? fullName(user),
    given_name: user.firstName,
    middle_name: user.middleName,
    family_name: user.lastName,
    nickname: user.preferredName,
    picture: user.avatarUrl,
    gender: user.gender,
    birthdate: user.birthDate,
    updated_at: Math.floor(user.updatedAt.getTime() / second),
    email: user.email,
    email_verified: isEmailVerified(user),
  };
  return Object.fromEntries(Object.entries(claims).filter((entry): entry is [string, string] => entry[1] !== null));
}

function fullName({ firstName, middleName, lastName }: UserDocument): string | null {
  return [firstName, middleName, lastName].filter(Boolean).join(' ') || null;
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth.claims.read': typeof readClaims;
  }
}
