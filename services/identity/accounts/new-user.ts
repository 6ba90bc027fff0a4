import { now } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type Profile, profileFields, type UserDocument } from '../../../models/identity/user.ts';

type NewUser = { userId?: string; email: string; passwordHash: string; profile?: Partial<Profile> };

/** The record of a new user who proved that the email is theirs; it is their first contact. */
export function newUser({ userId = newId('usr'), email, passwordHash, profile = {} }: NewUser): UserDocument {
  const at = now();
  const times = { createdAt: at, updatedAt: at };
  const empty = Object.fromEntries(profileFields.map((field) => [field, null])) as Profile;
  const contact = { contactId: newId('con'), type: 'email', value: email, isPrimary: true, verifiedAt: at } as const;
  return {
    _id: userId,
    email,
    passwordHash,
    status: 'active',
    ...empty,
    ...profile,
    contacts: [{ ...contact, ...times }],
    addresses: [],
    revision: 1,
    ...times,
  };
}
