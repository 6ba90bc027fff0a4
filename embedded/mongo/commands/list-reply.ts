import type { Fields } from '../bson/value.ts';
import { type Cursors, openCursor } from '../cursors.ts';
import { countOption, documentOption, type Request } from './command.ts';

/** The reply of a command that lists what the catalogue holds: a cursor over the encoded documents. */
export function listReply(cursors: Cursors, request: Request, namespace: string, documents: Buffer[]): Fields {
  const batchSize = countOption(documentOption(request.body, 'cursor'), 'batchSize', Infinity);
  const options = { namespace, batchSize, singleBatch: false, limit: documents.length };
  const batch = openCursor(cursors, documents.values(), options);
  return { cursor: { firstBatch: batch.documents, id: batch.id, ns: namespace } };
}
