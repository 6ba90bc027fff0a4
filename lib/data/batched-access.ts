import type { Document, OptionalUnlessRequiredId } from 'mongodb';
import { createBatcher } from '../concurrency/batcher.ts';
import { insertManyUnordered, nativeCollection } from './collection.ts';

const maxBatchSize = 200;

/**
 * Finds documents by a unique field, in an organization or in all, with batched queries. Searches of one turn of the
 * event loop share a query, and so do searches that arrive while one is in flight; a batch costs little more than one
 * search. A query starts after the search was requested, so it reads all writes acknowledged before. Concurrent callers
 * with the same value get the same object, which must not be changed. The organization is null for documents without
 * one, and for credentials, which identify their organization themselves.
 *
 * @param only - the fields that are read; all when absent
 */
export function createFindBatcher<T extends { _id: string }>(
  model: { collection: unknown },
  field: keyof T & string,
  only?: (keyof T & string)[],
): (orgId: string | null, value: string) => Promise<Readonly<T> | null> {
  const projection = only && Object.fromEntries([field, ...only].map((name) => [name, 1]));
  const find = createBatcher(maxBatchSize, async (values: string[], orgId) => {
    const filter = { ...(orgId !== '' && { orgId }), [field]: { $in: [...new Set(values)] } };
    const documents = nativeCollection(model).find(filter, projection ? { projection } : {});
    const byValue = new Map((await documents.toArray()).map((document) => [document[field], document]));
    return values.map((value) => (byValue.get(value) as T | undefined) ?? null);
  });
  return (orgId, value) => find(orgId ?? '', value);
}

/**
 * Inserts a document of a model; batches concurrent inserts of an organization into one command. False when a unique
 * index rejects it, because the document or a conflicting one exists. When a command fails, it is unknown which of its
 * documents were inserted. Organizations do not share a command, so that a slow or failing one does not affect the
 * others.
 */
export function createInsertBatcher<T extends Document & { orgId: string }>(model: {
  collection: unknown;
}): (document: OptionalUnlessRequiredId<T>) => Promise<boolean> {
  const insert = createBatcher(maxBatchSize, async (documents: OptionalUnlessRequiredId<T>[]) => {
    const refused = await insertManyUnordered(nativeCollection<T>(model), documents);
    return documents.map((_document, place) => !refused.has(place));
  });
  return (document) => insert((document as { orgId: string }).orgId, document);
}
