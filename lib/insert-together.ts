import type { mongo } from 'mongoose';
import { createBatcher } from './batched.ts';
import { insertManyUnordered } from './insert-each.ts';
import { nativeCollection } from './native-collection.ts';

const maxBatchSize = 200;

/**
 * Inserts a document of a model; batches concurrent inserts of an organization into one command. False when a unique
 * index rejects it, because the document or a conflicting one exists. When a command fails, it is unknown which of its
 * documents were inserted. Organizations do not share a command, so that a slow or failing one does not affect the
 * others.
 */
export function createInsertBatcher<T extends mongo.Document & { orgId: string }>(model: {
  collection: unknown;
}): (document: mongo.OptionalUnlessRequiredId<T>) => Promise<boolean> {
  const insert = createBatcher(maxBatchSize, async (documents: mongo.OptionalUnlessRequiredId<T>[]) => {
    const refused = await insertManyUnordered(nativeCollection<T>(model), documents);
    return documents.map((_document, place) => !refused.has(place));
  });
  return (document) => insert((document as { orgId: string }).orgId, document);
}
