import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { type SystemRole, systemRoles } from '../../lib/contract/authorize.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { decodeCursor, type Page, timestamp, toPage } from '../../lib/contract/input.ts';
import { createFindBatcher } from '../../lib/data/batched-access.ts';
import { now } from '../../lib/data/clock.ts';
import { nativeCollection } from '../../lib/data/collection.ts';
import { type Profile, type UserDocument, UserModel } from '../../models/identity/user.ts';

const findStatus = createFindBatcher<UserDocument>(UserModel, '_id', ['status']);

/** Whether there is a user of this id who can sign in. */
export async function isActiveUser(userId: string): Promise<boolean> {
  return (await findStatus(null, userId))?.status === 'active';
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
type UserChange = Partial<Omit<UserDocument, '_id' | 'status' | 'deletion' | 'revision' | 'createdAt' | 'updatedAt'>>;

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
    const unchanged = { _id: userId, status: 'active' as const, revision: before.revision };
    const { matchedCount } = await users.updateOne(unchanged, { $set: set });
    if (matchedCount === 1) return { before, after: { ...before, ...set } };
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
