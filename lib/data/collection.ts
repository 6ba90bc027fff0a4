import type { Collection, Document, OptionalUnlessRequiredId } from 'mongodb';
import type { Model } from 'mongoose';
import { isDuplicateKey } from './database-errors.ts';

/**
 * Inserts documents independently of each other in one command (unordered), and returns the indexes of the documents
 * that a unique index rejected. Throws when one was not inserted for any other reason.
 */
export async function insertManyUnordered<T extends Document>(
  collection: Collection<T>,
  documents: OptionalUnlessRequiredId<T>[],
): Promise<Set<number>> {
  if (documents.length === 0) return new Set();
  try {
    await collection.insertMany(documents, { ordered: false });
    return new Set();
  } catch (error) {
    const writeErrors = writeErrorsOf(error);
    if (!writeErrors?.every((writeError) => writeError.code === 11000)) throw error;
    return new Set(writeErrors.map((writeError) => writeError.index));
  }
}

type WriteError = { code: number; index: number };

function writeErrorsOf(error: unknown): WriteError[] | null {
  if (!isDuplicateKey(error)) return null;
  const { writeErrors } = error as { writeErrors?: WriteError | WriteError[] };
  return writeErrors === undefined ? null : [writeErrors].flat();
}

/**
 * The driver's collection of a model, typed by its documents: for inserts of parsed data, which Mongoose would cast and
 * validate again, and for queries by many ids, each of which it would cast.
 */
export function nativeCollection<T extends Document>(model: { collection: unknown }): Collection<T> {
  return model.collection as Collection<T>;
}

/**
 * Inserts a document of a model; false when a unique index rejects it, because the document or a conflicting one
 * exists. Of concurrent equal inserts exactly one returns true.
 */
export async function insertIfAbsent<T extends Document>(
  model: { collection: unknown },
  document: OptionalUnlessRequiredId<T>,
): Promise<boolean> {
  try {
    await nativeCollection<T>(model).insertOne(document);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/**
 * The maximum number of documents that one statement changes or removes, because it blocks other statements while it
 * runs.
 */
export const maxBatchSize = 500;

/**
 * Removes the documents of all tenants that match a filter, in batches, until none remains or the signal aborts;
 * returns how many it removed.
 */
export async function removeAcrossTenants(
  model: { collection: unknown },
  filter: Record<string, unknown>,
  signal?: AbortSignal,
): Promise<number> {
  const documents = nativeCollection<{ _id: never }>(model);
  let removed = 0;
  while (!signal?.aborted) {
    const batch = await documents
      .find(filter, { projection: { _id: 1 } })
      .limit(maxBatchSize)
      .toArray();
    if (batch.length === 0) break;
    // A document that was changed in between and no longer matches the filter is kept.
    const { deletedCount } = await documents.deleteMany({ ...filter, _id: { $in: batch.map(({ _id }) => _id) } });
    removed += deletedCount;
  }
  return removed;
}

type Tenant = { _id: string; orgId: string };

/** Removes up to about `most` of an organization's documents that match the filter, and returns how many it removed. */
export async function deleteInBatches(
  model: { collection: unknown },
  filter: { orgId: string; [field: string]: unknown },
  most: number,
): Promise<number> {
  const documents = model as unknown as Model<Tenant>;
  let removed = 0;
  while (removed < most) {
    const some = await documents.find(filter, { _id: 1 }).limit(maxBatchSize).lean<Tenant[]>();
    if (some.length === 0) break;
    const batch = { orgId: filter.orgId, _id: { $in: some.map(({ _id }) => _id) } };
    removed += (await documents.deleteMany(batch)).deletedCount;
  }
  return removed;
}
