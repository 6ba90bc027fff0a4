import type { SnapshotReference } from '../../../models/access/head.ts';
import { SnapshotModel } from '../../../models/access/snapshot.ts';
import { entryBatchSize, readChanges } from './log.ts';

/**
 * The part of an organization's data that this version of the platform cannot read: a kind of change, or a version of
 * snapshot, that a newer version writes. This node cannot know the organization's permissions, so it refuses to answer
 * and to write until another version runs, or until a snapshot that it can read covers the rest.
 */
export type Unreadable = {
  /** For the log of this node. */
  reason: string;
  /** Users whom unread changes or snapshots name: any of them may be a member. */
  userIds: Set<string>;
  /** The revision up to which the log was searched for users. */
  searchedTo: number;
  /** The snapshot that could not be read; null for none. */
  snapshotId: string | null;
};

/** A change or a snapshot cannot be read, as opposed to a database that does not answer. */
export class UnreadableError extends Error {}

/** Parses data. Any error means that this version cannot read it. */
export function reading<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UnreadableError(`${what} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** Describes why an organization cannot be read, with all users that its snapshot and the log after that name. */
export async function describeUnreadable(
  orgId: string,
  reference: SnapshotReference | null,
  reason: string,
): Promise<Unreadable> {
  const searchedTo = reference?.revision ?? 0;
  const unreadable: Unreadable = { reason, userIds: new Set(), searchedTo, snapshotId: reference?.id ?? null };
  if (reference) await searchSnapshot(orgId, reference.id, unreadable);
  await searchLog(orgId, unreadable);
  return unreadable;
}

/** Adds the users that the log names since it was last searched. */
export async function searchLog(orgId: string, unreadable: Unreadable): Promise<void> {
  for (;;) {
    const changes = await readChanges(orgId, unreadable.searchedTo);
    for (const { revision, change } of changes) {
      addUsers(unreadable, JSON.stringify(change));
      unreadable.searchedTo = Math.max(unreadable.searchedTo, revision);
    }
    if (changes.length < entryBatchSize) return;
  }
}

async function searchSnapshot(orgId: string, snapshotId: string, unreadable: Unreadable): Promise<void> {
  const parts = SnapshotModel.find({ orgId, snapshotId }, { _id: 0, data: 1 }).lean<{ data: string }[]>().cursor();
  for await (const { data } of parts as AsyncIterable<{ data: string }>) addUsers(unreadable, data);
}

/** In every format, a user's id appears as it is. */
function addUsers({ userIds }: Unreadable, text: string): void {
  for (const [userId] of text.matchAll(/usr_[0-9a-z]{26}/g)) userIds.add(userId);
}
