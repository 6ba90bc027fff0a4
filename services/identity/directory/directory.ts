import { concurrently } from '../../../lib/concurrency/concurrently.ts';
import { type CallContext, type Ctx, call } from '../../../lib/contract/context.ts';
import { insertIfAbsent, nativeCollection, removeAcrossTenants } from '../../../lib/data/collection.ts';
import { isDuplicateKey } from '../../../lib/data/database-errors.ts';
import {
  type DirectoryEntryDocument,
  DirectoryEntryModel,
  directoryEntryId,
  neverLoggedIn,
} from '../../../models/identity/directory-entry.ts';
import { type DirectoryKeyDocument, DirectoryKeyModel } from '../../../models/identity/directory-key.ts';
import { SessionModel } from '../../../models/identity/session.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { directoryForm } from '../accounts/new-user.ts';
import { searchKeysOf } from './search-keys.ts';

/*
 * The directory of an organization: the projection of its members by which users are searched and sorted. A change of
 * the user first clears `directoryForm` in their document, which a completed write of the directory sets again: a sweep
 * repeats writes that a crash interrupted, and makes the entries of users from before the directory.
 */

const entries = () => nativeCollection<DirectoryEntryDocument>(DirectoryEntryModel);
const keys = () => nativeCollection<DirectoryKeyDocument>(DirectoryKeyModel);
const users = () => nativeCollection<UserDocument>(UserModel);

/** Adds a member to the directory of an organization, or writes their entry again. Idempotent. */
export async function enterDirectory(orgId: string, userId: string): Promise<void> {
  const entry = { _id: directoryEntryId(orgId, userId), orgId, userId, lastLoginAt: neverLoggedIn };
  await insertIfAbsent<DirectoryEntryDocument>(DirectoryEntryModel, entry);
  // Read after the insert: any later change of the user finds the entry.
  const user = await UserModel.findOne({ _id: userId }).lean<UserDocument>();
  if (user) await writeMember(orgId, user);
  // A deletion of the user that ended in between has not seen these documents.
  if (!(await UserModel.exists({ _id: userId }))) await eraseUserFromDirectories(userId);
}

/** Removes a user from the directory of an organization, unless they are a member again. Idempotent. */
export async function leaveDirectory(ctx: CallContext, orgId: string, userId: string): Promise<void> {
  await keys().deleteMany({ userId, orgId });
  await entries().deleteMany({ userId, orgId });
  const { membership } = await call(ctx, 'access.memberships.read', { body: { orgId, userId } });
  if (membership) await enterDirectory(orgId, userId);
}

/** Writes the entries of a user again, after a change of what they are found by. */
export async function rewriteDirectory(user: UserDocument): Promise<void> {
  for (const { orgId } of await entries().find({ userId: user._id }).toArray()) await writeMember(orgId, user);
  await markWritten(user);
}

/** Sets when a user last logged in, for lists of all organizations they are a member of. */
export async function recordLogin(userId: string, at: Date): Promise<void> {
  await users().updateOne({ _id: userId }, { $max: { lastLoginAt: at } });
  await entries().updateMany({ userId }, { $max: { lastLoginAt: at } });
}

/** Removes a deleted user from all directories. */
export async function eraseUserFromDirectories(userId: string): Promise<void> {
  await keys().deleteMany({ userId });
  await entries().deleteMany({ userId });
}

/** Removes the directory of a deleted organization. */
export async function eraseDirectory(orgId: string): Promise<void> {
  await removeAcrossTenants(DirectoryKeyModel, { orgId });
  await removeAcrossTenants(DirectoryEntryModel, { orgId });
}

/** Only an unchanged user: a concurrent change has its own write, or awaits the sweep. */
async function markWritten({ _id, revision }: UserDocument): Promise<void> {
  await users().updateOne({ _id, revision }, { $set: { directoryForm } });
}

/**
 * Writes a member's entry and keys. A key keeps the newest revision that has it, so that a write which is overtaken by
 * one of a newer revision removes none of its keys. Readers omit outdated keys.
 */
async function writeMember(orgId: string, user: UserDocument): Promise<void> {
  const { _id: userId, revision, lastLoginAt } = user;
  if (lastLoginAt) {
    await entries().updateOne({ _id: directoryEntryId(orgId, userId), orgId }, { $max: { lastLoginAt } });
  }
  const upserts = searchKeysOf(user).map((key) => ({
    updateOne: {
      filter: { _id: `${orgId}:${userId}:${key}` },
      update: { $max: { revision }, $setOnInsert: { orgId, userId, key } },
      upsert: true,
    },
  }));
  await writeAll(upserts).catch((error) => {
    // Concurrent upserts of a key: by now it exists.
    if (!isDuplicateKey(error)) throw error;
    return writeAll(upserts);
  });
  await keys().deleteMany({ userId, orgId, revision: { $lt: revision } });
}

async function writeAll(upserts: Parameters<ReturnType<typeof keys>['bulkWrite']>[0]): Promise<void> {
  await keys().bulkWrite(upserts, { ordered: false });
}

const batch = 200;
const width = 8;

/** Writes the entries of all users whose directory is not current; for the scheduled sweep. */
export async function sweepDirectories(ctx: Ctx, signal?: AbortSignal): Promise<void> {
  let failure: unknown;
  for await (const page of outdatedUsers()) {
    await concurrently(page, width, async (user) => {
      if (signal?.aborted) return;
      await writeUser(ctx, user).catch((error) => {
        failure = error;
      });
    });
    if (signal?.aborted) return;
  }
  if (failure) throw failure;
}

async function* outdatedUsers(): AsyncGenerator<UserDocument[]> {
  const earlierForms = Array.from({ length: directoryForm - 1 }, (_, index) => index + 1);
  for (const form of [null, ...earlierForms]) {
    for (let after = ''; ; ) {
      const outdated = { directoryForm: form, _id: { $gt: after } };
      const page = await users().find(outdated).sort({ _id: 1 }).limit(batch).toArray();
      if (page.length > 0) yield page;
      if (page.length < batch) break;
      after = page.at(-1)?._id ?? '';
    }
  }
}

async function writeUser(ctx: Ctx, user: UserDocument): Promise<void> {
  const userId = user._id;
  if (user.lastLoginAt === undefined) await adoptLastLogin(userId);
  const { memberships } = await call(ctx, 'access.memberships.of-user', { body: { userId, withSuspended: true } });
  const orgIds = new Set(memberships.map(({ orgId }) => orgId));
  for (const orgId of orgIds) await enterDirectory(orgId, userId);
  for (const { orgId } of await entries().find({ userId }).toArray()) {
    if (!orgIds.has(orgId)) await leaveDirectory(ctx, orgId, userId);
  }
  await markWritten(user);
}

/** Sets the last login of a user from before it was stored by their newest session. */
async function adoptLastLogin(userId: string): Promise<void> {
  const newest = await SessionModel.findOne({ userId }, { createdAt: 1 }).sort({ _id: -1 }).lean();
  if (newest) await recordLogin(userId, newest.createdAt);
}
