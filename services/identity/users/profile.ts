import { z } from 'zod';
import type { Profile, UserDocument } from '../../../models/identity/user.ts';

const text = z.string().nullable();

/** The profile fields of an answer; an unset field is null. `birthDate` is `YYYY-MM-DD`. */
export const profileOutput = {
  firstName: text,
  middleName: text,
  lastName: text,
  preferredName: text,
  birthDate: text,
  gender: text,
  displayName: text,
  avatarUrl: text,
};

/** The profile of Ada Lovelace, who owns the organization of the examples. */
export const exampleProfile = {
  firstName: 'Ada',
  middleName: null,
  lastName: 'Lovelace',
  preferredName: null,
  birthDate: null,
  gender: null,
  displayName: 'Ada Lovelace',
  avatarUrl: 'https://acme-bikes.example/people/ada.png',
} satisfies Profile;

/** A user's profile in responses; all null where the caller may not see it. */
export function profileOf(user: Profile, isSeen = true): Profile {
  const show = (value: string | null): string | null => (isSeen ? value : null);
  return {
    firstName: show(user.firstName),
    middleName: show(user.middleName),
    lastName: show(user.lastName),
    preferredName: show(user.preferredName),
    birthDate: show(user.birthDate),
    gender: show(user.gender),
    displayName: show(user.displayName),
    avatarUrl: show(user.avatarUrl),
  };
}

/** Whether the user's login email is verified. */
export function isEmailVerified({ email, contacts }: Pick<UserDocument, 'email' | 'contacts'>): boolean {
  return contacts.some(({ type, value, verifiedAt }) => type === 'email' && value === email && verifiedAt !== null);
}
