import { createMemory } from '../memory.ts';
import { countRecords } from '../query/count.ts';
import { parseFilter } from '../query/filter.ts';
import { parseHint } from '../query/hint.ts';
import { findCollection } from '../store/catalog.ts';
import { type Command, collectionName, countOption, documentOption } from './command.ts';

export const count: Command = {
  kind: 'read',
  options: new Set(['query', 'limit', 'skip', 'hint']),
  run: function* ({ store }, request) {
    const collection = findCollection(store, request.database, collectionName(request));
    const filter = parseFilter(documentOption(request.body, 'query'));
    if (!collection) return { n: 0 };
    const hint = parseHint(request.body.get('hint'), collection);
    const skip = countOption(request.body, 'skip', 0);
    const limit = countOption(request.body, 'limit', 0);
    return { n: yield* countRecords(collection, { filter, sort: [], skip, limit, hint }, createMemory()) };
  },
};
