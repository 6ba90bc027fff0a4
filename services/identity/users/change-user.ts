import { setTimeout as wait } from 'node:timers/promises';
import { now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { readCurrentUser } from './current-user.ts';

const maxAttempts = 40;
const maxPauseExponent = 6;

/** The fields that a change sets; the others stay. */
export type UserChange = Partial<
  Omit<UserDocument, '_id' | 'status' | 'deletion' | 'revision' | 'createdAt' | 'updatedAt'>
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
    const unchanged = { _id: userId, status: 'active' as const, revision: before.revision };
    const { matchedCount } = await users.updateOne(unchanged, { $set: set });
    if (matchedCount === 1) return { before, after: { ...before, ...set } };
    await wait(Math.random() * 2 ** Math.min(attempt, maxPauseExponent));
  }
  throw apiError('CONFLICT');
}
