import { createBatcher } from './batched.ts';
import { nativeCollection } from './native-collection.ts';

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
