import type { mongo } from 'mongoose';
import { createBatcher } from './batched.ts';
import { insertManyUnordered } from './insert-each.ts';
import { nativeCollection } from './native-collection.ts';

const maxBatchSize = 200;

/**
 * Inserts a document of a model, concurrent ones of an organization in one command; false when a unique index refuses it,
 * because the document or a conflicting one exists. When a command fails, which of its documents were inserted is not
 * known. Organizations share no command, so that a slow or failing one is not another's.
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
