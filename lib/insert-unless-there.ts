import type { mongo } from 'mongoose';
import { isDuplicateKey } from './database-errors.ts';
import { nativeCollection } from './native-collection.ts';

/**
 * Inserts a document of a model; false when a unique index rejects it, because the document or a conflicting one
 * exists. Of concurrent equal inserts exactly one returns true.
 */
export async function insertIfAbsent<T extends mongo.Document>(
  model: { collection: unknown },
  document: mongo.OptionalUnlessRequiredId<T>,
): Promise<boolean> {
  try {
    await nativeCollection<T>(model).insertOne(document);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
