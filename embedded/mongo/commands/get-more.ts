import { continueCursor, killCursor, requireCursor } from '../cursors.ts';
import { badValue, MongoError } from '../errors.ts';
import { type Command, countOption } from './command.ts';

export const getMore: Command = {
  kind: 'read',
  options: new Set(['collection', 'batchSize']),
  run: function* ({ cursors }, request) {
    const id = request.body.get('getMore');
    const name = request.body.get('collection');
    if (typeof name !== 'string') throw badValue('getMore needs the name of a collection');
    const namespace = `${request.database}.${name}`;
    const cursorId = typeof id === 'bigint' ? id : typeof id === 'number' ? BigInt(Math.trunc(id)) : undefined;
    if (cursorId === undefined) throw badValue('getMore needs the id of a cursor');
    // Without batchSize, the message size limits the batch.
    const batchSize = countOption(request.body, 'batchSize', 0) || Infinity;
    const cursor = requireCursor(cursors, cursorId, namespace);
    if (cursor.timeLeft <= 0) {
      killCursor(cursors, cursorId);
      throw new MongoError('MaxTimeMSExpired', 'operation exceeded time limit');
    }
    request.timeLimit = cursor.timeLeft;
    const batch = yield* continueCursor(cursors, cursor, batchSize);
    return { cursor: { nextBatch: batch.documents, id: batch.id, ns: namespace } };
  },
};
