import type { Collection } from 'mongodb';
import { insertManyUnordered, nativeCollection } from '../../../lib/data/collection.ts';
import { ChangeModel } from '../../../models/access/change.ts';
import {
  type PermissionDescriptionDocument,
  PermissionDescriptionModel,
} from '../../../models/access/permission-description.ts';
import type { Change, PermissionValue } from '../graph/changes.ts';
import type { Permission } from '../graph/org-graph.ts';

/** The description of a permission, and the revision that gave it. */
export type Described = Pick<PermissionDescriptionDocument, 'description' | 'revision'>;

/**
 * Stores the descriptions that a change at a revision gave, unless a later one gave others. May be repeated, in any
 * order. The log has them first, so that descriptions that a crash left out here are found there: by the reader, and
 * before the entry is removed.
 */
export async function storeDescriptions(
  orgId: string,
  revision: number,
  permissions: readonly PermissionValue[],
): Promise<void> {
  const keys = permissions.map(({ key }) => key);
  const stored = await findDescriptions(orgId, keys);
  const missing = permissions.filter(({ key }) => !stored.has(key));
  const refused = await insertDescriptions(orgId, revision, missing);
  const older = permissions.filter(({ key }) => (stored.get(key)?.revision ?? revision) < revision);
  const replaced = [...older, ...missing.filter((_, index) => refused.has(index))];
  if (replaced.length === 0) return;
  const updates = replaced.map(({ key, description }) => ({
    updateOne: {
      filter: { _id: `${orgId}:${key}`, orgId, revision: { $lt: revision } },
      update: { $set: { description, revision } },
    },
  }));
  await descriptions().bulkWrite(updates, { ordered: false });
}

/**
 * Stores the descriptions of a snapshot that an earlier release wrote, unless there are stored ones, which are as new.
 */
export async function adoptDescriptions(orgId: string, permissions: readonly PermissionValue[]): Promise<void> {
  await insertDescriptions(orgId, 0, permissions);
}

/** The descriptions of an organization's permissions as of its graph, by key. */
export async function readDescriptions(
  orgId: string,
  permissions: readonly Permission[],
): Promise<Map<string, Described>> {
  const own = permissions.filter(({ isSystem }) => !isSystem);
  const keys = own.map(({ key }) => key);
  const found = await findDescriptions(orgId, keys);
  const behind = own.filter(({ key, describedIn }) => (found.get(key)?.revision ?? 0) < describedIn);
  if (behind.length === 0) return found;
  // The change is so recent that its descriptions are not stored yet, or its process died before it stored them.
  for (const revision of new Set(behind.map(({ describedIn }) => describedIn))) await storeFromLog(orgId, revision);
  return await findDescriptions(orgId, keys);
}

/** Stores the descriptions in a range of the log that is about to be removed. */
export async function storeLoggedDescriptions(orgId: string, revision: { $gte: number; $lt: number }): Promise<void> {
  const entries = ChangeModel.find({ orgId, revision, 'change.kind': 'permissionsRegistered' })
    .lean<{ revision: number; change: Change }[]>()
    .cursor({ batchSize: 1 });
  for await (const entry of entries) await storeEntry(orgId, entry as never);
}

async function storeFromLog(orgId: string, revision: number): Promise<void> {
  const entry = await ChangeModel.findOne({ orgId, revision }).lean<{ revision: number; change: Change }>();
  if (entry) await storeEntry(orgId, entry);
}

async function storeEntry(orgId: string, { revision, change }: { revision: number; change: Change }): Promise<void> {
  if (change.kind === 'permissionsRegistered') await storeDescriptions(orgId, revision, change.permissions);
}

async function findDescriptions(orgId: string, keys: string[]): Promise<Map<string, Described>> {
  if (keys.length === 0) return new Map();
  const found = await PermissionDescriptionModel.find({ orgId, key: { $in: keys } }).lean();
  return new Map(found.map(({ key, description, revision }) => [key, { description, revision }]));
}

/** Inserts descriptions; returns the positions of those that existed. */
async function insertDescriptions(
  orgId: string,
  revision: number,
  permissions: readonly PermissionValue[],
): Promise<Set<number>> {
  const documents = permissions.map(({ key, description }) => {
    return { _id: `${orgId}:${key}`, orgId, key, description, revision };
  });
  return await insertManyUnordered(descriptions(), documents);
}

function descriptions(): Collection<PermissionDescriptionDocument> {
  return nativeCollection<PermissionDescriptionDocument>(PermissionDescriptionModel);
}
