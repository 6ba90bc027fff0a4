import type { mongo } from 'mongoose';
import { isDuplicateKey } from './database-errors.ts';

/**
 * Inserts documents independently of each other in one command (unordered), and returns the indexes of the documents
 * that a unique index rejected. Throws when one was not inserted for any other reason.
 */
export async function insertManyUnordered<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  documents: mongo.OptionalUnlessRequiredId<T>[],
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
