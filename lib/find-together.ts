import { createBatcher } from './batched.ts';
import { nativeCollection } from './native-collection.ts';

const maxBatchSize = 200;

/**
 * Finds documents by a field that is unique, in an organization or in all. Searches of one turn of the event loop, and
 * those that come while one is under way, are one query, which costs little more than that of one. A search begins after
 * it was asked for, so it sees everything that was answered before. Who asks for the same gets the same object, not to be
 * changed. The organization is null for documents of none, and for credentials, which tell whose they are.
 *
 * @param only - the fields that are read, all when it is missing
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
