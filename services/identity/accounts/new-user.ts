import { now } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { Profile, UserDocument } from '../../../models/identity/user.ts';

/**
 * The version of the keys by which users are found (`directory/search-keys.ts`). With a higher one, a sweep writes the
 * keys of all users again.
 */
export const directoryForm = 1;

type NewUser = { userId?: string; email: string; passwordHash: string; profile?: Partial<Profile> };

const emptyProfile: Profile = {
  firstName: null,
  middleName: null,
  lastName: null,
  preferredName: null,
  birthDate: null,
  gender: null,
  displayName: null,
  avatarUrl: null,
  language: null,
};

/** The record of a new user who proved that the email is theirs; it is their first contact. */
export function newUser({ userId = newId('usr'), email, passwordHash, profile = {} }: NewUser): UserDocument {
  const at = now();
  const times = { createdAt: at, updatedAt: at };
  const contact = { contactId: newId('con'), type: 'email', value: email, isPrimary: true, verifiedAt: at } as const;
  return {
    _id: userId,
    email,
    passwordHash,
    status: 'active',
    ...emptyProfile,
    ...profile,
    contacts: [{ ...contact, ...times }],
    addresses: [],
    // The step that makes the user a member writes the directory.
    directoryForm,
    revision: 1,
    ...times,
  };
}
