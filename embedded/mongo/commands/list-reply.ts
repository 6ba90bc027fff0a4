import type { Fields } from '../bson/value.ts';
import { type Cursors, openCursor } from '../cursors.ts';
import { createMemory } from '../memory.ts';
import type { Work } from '../slice.ts';
import { countOption, documentOption, type Request } from './command.ts';

/** Builds the reply of a command that lists the catalog: a cursor over the encoded documents. */
export function* listReply(cursors: Cursors, request: Request, namespace: string, documents: Buffer[]): Work<Fields> {
  const batchSize = countOption(documentOption(request.body, 'cursor'), 'batchSize', Infinity);
  const limits = { singleBatch: false, limit: documents.length, timeLeft: Infinity, noTimeout: false };
  const options = { namespace, batchSize, memory: createMemory(), ...limits };
  const batch = yield* openCursor(cursors, documents.values(), options);
  return { cursor: { firstBatch: batch.documents, id: batch.id, ns: namespace } };
}
