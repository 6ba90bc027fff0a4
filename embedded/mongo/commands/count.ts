import { parseFilter } from '../query/filter.ts';
import { findRecords, type Query } from '../query/find.ts';
import { parseHint } from '../query/hint.ts';
import { planQuery } from '../query/planner.ts';
import { type Collection, findCollection } from '../store/catalog.ts';
import { rowOf } from '../store/statements.ts';
import { type Command, collectionName, countOption, documentOption } from './command.ts';

export const count: Command = {
  kind: 'read',
  options: new Set(['query', 'limit', 'skip', 'hint']),
  run: ({ store }, request) => {
    const collection = findCollection(store, request.database, collectionName(request));
    const filter = parseFilter(documentOption(request.body, 'query'));
    if (!collection) return { n: 0 };
    const hint = parseHint(request.body.get('hint'), collection);
    const skip = countOption(request.body, 'skip', 0);
    const limit = countOption(request.body, 'limit', 0);
    return { n: countRecords(collection, { filter, sort: [], skip, limit, hint }) };
  },
};

/** How many documents a query selects. */
export function countRecords(collection: Collection, query: Query): number {
  const all = countByIndex(collection, query.filter, query.hint);
  if (all !== undefined) return Math.min(Math.max(0, all - query.skip), query.limit || Infinity);
  let count = 0;
  for (const _ of findRecords(collection, { ...query, sort: [] })) count++;
  return count;
}

/** Counts keys instead of documents where that is the same. */
function countByIndex(
  collection: Collection,
  filter: Parameters<typeof planQuery>[1],
  hint: Parameters<typeof planQuery>[3],
): number | undefined {
  if (filter.kind === 'and' && filter.filters.length === 0) return numberOf(collection.statements.count.get());
  const plan = planQuery(collection, filter, [], hint);
  if (plan.kind !== 'index' || !plan.isExact) return undefined;
  return plan.ranges.reduce((sum, { from, to }) => sum + numberOf(plan.index.statements.count.get(from, to)), 0);
}

function numberOf(row: unknown): number {
  return rowOf<[number]>(row)?.[0] ?? 0;
}
