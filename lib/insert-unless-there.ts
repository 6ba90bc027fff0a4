import type { mongo } from 'mongoose';
import { isDuplicateKey } from './database-errors.ts';
import { nativeCollection } from './native-collection.ts';

/**
 * Inserts a document of a model; false when a unique index refused it, because it, or what it must not stand beside, is
 * there already. Of any number of equal inserts at once exactly one gets true.
 */
export async function insertUnlessThere<T extends mongo.Document>(
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
