import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { systemRoles } from '../../lib/contract/authorize.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { decodeCursor, type Page, timestamp, toPage } from '../../lib/contract/input.ts';
import { createFindBatcher } from '../../lib/data/batched-access.ts';
import { now } from '../../lib/data/clock.ts';
import { nativeCollection } from '../../lib/data/collection.ts';
import { defaultLanguage, type Language, languages } from '../../lib/format/language.ts';
import { type Profile, type UserDocument, UserModel } from '../../models/identity/user.ts';
import { rewriteDirectory } from './directory/directory.ts';
import { searchKeysOf } from './directory/search-keys.ts';
import type { MembershipEntry } from './members.ts';

const findStanding = createFindBatcher<UserDocument>(UserModel, '_id', ['status', 'isOperator']);

/** Whether there is a user of this id who can sign in, and whether they operate the platform. */
export async function readStanding(userId: string): Promise<{ isActive: boolean; isOperator: boolean }> {
  const user = await findStanding(null, userId);
  const isActive = user?.status === 'active';
  return { isActive, isOperator: isActive && user?.isOperator === true };
}

/** Whether there is a user of this id who can sign in. */
export async function isActiveUser(userId: string): Promise<boolean> {
  return (await readStanding(userId)).isActive;
}

/** The user of a credential; throws CREDENTIAL_INVALID when they were deleted since it was checked. */
export async function readCurrentUser(userId: string): Promise<UserDocument> {
  const user = await UserModel.findOne({ _id: userId, status: 'active' }).lean<UserDocument>();
  if (!user) throw apiError('CREDENTIAL_INVALID');
  return user;
}

const maxAttempts = 40;
const maxPauseExponent = 6;

/** The fields that a change sets; the others stay. */
type UserChange = Partial<
  Omit<UserDocument, '_id' | 'status' | 'deletion' | 'directoryForm' | 'revision' | 'createdAt' | 'updatedAt'>
>;

/**
 * Changes an active user by what `change` computes from their present state. Concurrent changes are applied one after
 * the other and none is lost. `change` may run several times: it only computes, or throws a refusal. An empty change
 * writes nothing. Returns the user before and after.
 *
 * @throws CREDENTIAL_INVALID the user is gone; CONFLICT too many concurrent changes of the same user; MongoDB's 11000
 *   the email belongs to another user.
 */
export async function changeUser(
  userId: string,
  change: (user: UserDocument, at: Date) => UserChange,
): Promise<{ before: UserDocument; after: UserDocument }> {
  const users = nativeCollection<UserDocument>(UserModel);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const before = await readCurrentUser(userId);
    const updatedAt = now();
    const changed = change(before, updatedAt);
    if (Object.keys(changed).length === 0) return { before, after: before };
    const set = { ...changed, updatedAt, revision: before.revision + 1 };
    const after = { ...before, ...set };
    const isFoundOtherwise = !isDeepStrictEqual(searchKeysOf(before), searchKeysOf(after));
    const unchanged = { _id: userId, status: 'active' as const, revision: before.revision };
    const { matchedCount } = await users.updateOne(unchanged, {
      $set: { ...set, ...(isFoundOtherwise && { directoryForm: null }) },
    });
    if (matchedCount === 1) {
      // A failure leaves it to the sweep.
      if (isFoundOtherwise) await rewriteDirectory(after).catch(() => undefined);
      return { before, after };
    }
    await wait(Math.random() * 2 ** Math.min(attempt, maxPauseExponent));
  }
  throw apiError('CONFLICT');
}

/** One page of parts of a user's document, the oldest first. Ids begin with their time of creation. */
export function listParts<Part, T>(
  parts: Part[],
  idOf: (part: Part) => string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  show: (part: Part) => T,
): Page<T> {
  const after = decodeCursor(cursor, 1)?.[0] ?? '';
  const rest = parts.filter((part) => idOf(part) > after).sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
  return toPage(rest.slice(0, limit + 1), limit, (part) => [idOf(part)], show);
}

/** The language of a mail: of the user with this login email, otherwise of the request that causes it. */
export async function languageOfRecipient(email: string, request: { language?: Language }): Promise<Language> {
  return languageFor(await UserModel.findOne({ email }, { language: 1 }).lean(), request);
}

/** The language of a mail to a user, or to a person without an account. */
export function languageFor(
  user: Pick<UserDocument, 'language'> | null,
  { language }: { language?: Language },
): Language {
  return user?.language ?? language ?? defaultLanguage;
}

const text = z.string().nullable();

export const languageChoice = z
  .enum(languages)
  .nullable()
  .describe('The language of pages and mails; null follows the browser.');

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
  language: languageChoice,
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
  language: null,
} satisfies Profile;

/** A user's profile in responses; all null where the caller may not see it. */
export function profileOf(user: Profile, isSeen = true): Profile {
  const show = <T>(value: T | null): T | null => (isSeen ? value : null);
  return {
    firstName: show(user.firstName),
    middleName: show(user.middleName),
    lastName: show(user.lastName),
    preferredName: show(user.preferredName),
    birthDate: show(user.birthDate),
    gender: show(user.gender),
    displayName: show(user.displayName),
    avatarUrl: show(user.avatarUrl),
    // Users of earlier versions have none.
    language: show(user.language ?? null),
  };
}

/** The name of a user for other people: the display name, otherwise the full name; null without any. */
export function nameOf({ displayName, firstName, middleName, lastName }: Profile): string | null {
  return displayName ?? ([firstName, middleName, lastName].filter(Boolean).join(' ') || null);
}

/** Whether the user's login email is verified. */
export function isEmailVerified({ email, contacts }: Pick<UserDocument, 'email' | 'contacts'>): boolean {
  return contacts.some(({ type, value, verifiedAt }) => type === 'email' && value === email && verifiedAt !== null);
}

/**
 * A user as an organization's administrators see them, with their role. Contacts and addresses are private.
 * `suspendedAt`: since when the user is suspended in the organization; absent for others. `lastLoginAt`: null before
 * the first login.
 */
export const memberOutput = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    ...profileOutput,
    role: z.enum(systemRoles),
    suspendedAt: timestamp.optional().describe('When the membership was suspended; absent while it is in force.'),
    lastLoginAt: timestamp.nullable().describe('When the user last signed in; null if never.'),
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
  language: null,
  role: 'member',
  lastLoginAt: '2026-03-05T14:00:00.000Z',
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof memberOutput>;

export function toMemberResponse(
  user: UserDocument,
  { role, suspendedAt }: Pick<MembershipEntry, 'role' | 'suspendedAt'>,
): z.output<typeof memberOutput> {
  return {
    id: user._id,
    email: user.email,
    emailVerified: isEmailVerified(user),
    ...profileOf(user),
    role,
    ...(suspendedAt !== null && { suspendedAt }),
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}
