import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { parseFilter } from '../query/filter.ts';
import { formatIndexSpec } from '../store/index-spec.ts';
import { type Command, documentOption, flagOption } from './command.ts';
import { listReply } from './list-reply.ts';

export const listCollections: Command = {
  kind: 'read',
  options: new Set(['filter', 'nameOnly', 'cursor', 'authorizedCollections']),
  run: ({ store, cursors }, request) => {
    const namespace = `${request.database}.$cmd.listCollections`;
    const filter = parseFilter(documentOption(request.body, 'filter'));
    const nameOnly = flagOption(request.body, 'nameOnly');
    const documents = [...store.collections.values()]
      .filter((collection) => collection.database === request.database)
      .map(({ name, idIndex }) => {
        const details = { options: {}, info: { readOnly: false }, idIndex: formatIndexSpec(idIndex.spec) };
        return encodeDocument({ name, type: 'collection', ...(nameOnly ? {} : details) });
      })
      .filter((document) => filter.test(decodeDocument(document)));
    return listReply(cursors, request, namespace, documents);
  },
};
