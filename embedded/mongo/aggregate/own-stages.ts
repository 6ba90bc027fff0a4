import { randomInt } from 'node:crypto';
import { type Document, isNumeric, type Value } from '../bson/value.ts';
import { badValue, MongoError } from '../errors.ts';
import { type Memory, objectBytes, sizeOf, take } from '../memory.ts';
import { allOf, parseFilter } from '../query/filter.ts';
import { isTruthy, toNumber } from '../query/operators.ts';
import { parseProjection } from '../query/projection.ts';
import { compareSortKeys, parseSort, sortKey } from '../query/sort.ts';
import { collect, isSliceOver, pause, sortInSlices, type Work } from '../slice.ts';
import type { Documents, Stage } from './stage.ts';
import { unwindStage } from './unwind.ts';

/** Stages without expressions; they treat values exactly as find, sort and projection do. */
export const ownStages = new Map<string, (operand: Value) => Stage>([
  ['$match', matchStage],
  ['$sort', sortStage],
  ['$skip', (operand) => sliceStage(skipCount(operand), Infinity)],
  ['$limit', (operand) => sliceStage(0, limitCount(operand))],
  ['$count', countStage],
  ['$unwind', unwindStage],
  ['$unset', unsetStage],
  ['$sample', sampleStage],
]);

function matchStage(operand: Value): Stage {
  const filter = parseFilter(requireDocument('$match', operand));
  return {
    run: function* (documents) {
      for (const document of documents) if (document === pause || filter.test(document)) yield document;
    },
  };
}

function sortStage(operand: Value): Stage {
  const fields = parseSort(sortDocument(operand));
  return {
    run: function* (documents, memory) {
      const collected = yield* collectCounted(documents, memory);
      const entries = collected.map((document) => ({ document, key: sortKey(fields, document) }));
      const sorted = yield* sortInSlices(entries, (left, right) => compareSortKeys(fields, left.key, right.key));
      yield* inSlices(sorted.map(({ document }) => document));
    },
  };
}

/** Collects all documents of a stage and counts them in the memory of the query. */
export function collectCounted(documents: Documents, memory: Memory): Work<Document[]> {
  return collect<Document>(documents, (document) => take(memory, objectBytes + sizeOf(document)));
}

/** Yields documents from memory, with a pause between slices. */
export function* inSlices(documents: Iterable<Document>): Generator<Document | typeof pause> {
  for (const document of documents) {
    yield document;
    if (isSliceOver()) yield pause;
  }
}

/** Checks the operand of `$sort`, which must name at least one field. */
export function sortDocument(operand: Value): Document {
  const document = requireDocument('$sort', operand);
  if (document.size === 0) throw badValue('$sort needs at least one field');
  return document;
}

function sliceStage(skip: number, limit: number): Stage {
  return {
    run: function* (documents) {
      let at = 0;
      for (const document of documents) {
        if (document !== pause && at++ < skip) continue;
        yield document;
        if (document === pause) continue;
        if (at - skip >= limit) return;
      }
    },
  };
}

export function skipCount(operand: Value): number {
  const count = wholeNumber(operand);
  if (count !== undefined && count >= 0) return count;
  throw new MongoError('Location15956', '$skip needs a whole number that is not negative');
}

export function limitCount(operand: Value): number {
  const count = wholeNumber(operand);
  if (count !== undefined && count > 0) return count;
  throw new MongoError('Location15958', 'the limit must be positive: $limit needs a whole number of at least 1');
}

function wholeNumber(operand: Value): number | undefined {
  const number = isNumeric(operand) ? toNumber(operand) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

function countStage(operand: Value): Stage {
  if (typeof operand !== 'string' || operand === '' || operand.startsWith('$') || operand.includes('.')) {
    throw badValue('$count needs the name of a field');
  }
  return countingStage((count) => (count > 0 ? [new Map([[operand, count]])] : []));
}

function countingStage(ofCount: (count: number) => Document[]): Stage {
  return {
    run: function* (documents) {
      let count = 0;
      for (const document of documents) {
        if (document === pause) yield pause;
        else count++;
      }
      yield* ofCount(count);
    },
    ofCount,
  };
}

/** Parses the `$group` that drivers count with, `{ _id: 1, n: { $sum: 1 } }`; undefined for any other `$group`. */
export function countingGroupStage(operand: Value): Stage | undefined {
  if (!(operand instanceof Map) || operand.size !== 2) return undefined;
  const id = operand.get('_id');
  const [[name, accumulator] = []] = [...operand].filter(([field]) => field !== '_id');
  const isSumOfOnes = accumulator instanceof Map && accumulator.size === 1 && accumulator.get('$sum') === 1;
  if (!(id === null || typeof id === 'number') || name === undefined || !isSumOfOnes) return undefined;
  return countingStage((count) =>
    count > 0
      ? [
          new Map<string, Value>([
            ['_id', id],
            [name, count],
          ]),
        ]
      : [],
  );
}

function unsetStage(operand: Value): Stage {
  const names = Array.isArray(operand) ? operand : [operand];
  if (names.length === 0 || !names.every((name) => typeof name === 'string')) {
    throw badValue('$unset needs the name of a field or an array of names');
  }
  return plainProjectStage(new Map(names.map((name) => [name, 0])));
}

/** Parses a `$project` without expressions, which only keeps or drops fields. */
export function plainProjectStage(operand: Document): Stage {
  requireFieldPaths(operand);
  const projection = parseProjection(operand, allOf([]));
  if (!projection) throw badValue('$project needs at least one field');
  return {
    run: function* (documents) {
      for (const document of documents) yield document === pause ? pause : projection.ofDocument(document);
    },
  };
}

/** Rejects path parts that start with a dollar sign; only the projection of find supports positional ones. */
function requireFieldPaths(operand: Document): void {
  for (const [path, value] of operand) {
    if (path.endsWith('.$') && isTruthy(value)) {
      throw new MongoError('Location31324', 'Cannot use positional projection in aggregation projection');
    }
    const part = path.split('.').find((name) => name.startsWith('$'));
    if (part) throw new MongoError('Location16410', `FieldPath field names may not start with '$': ${part}`);
    if (value instanceof Map) requireFieldPaths(value);
  }
}

/** Whether a projection only keeps and drops fields. */
export function isPlainProjection(operand: Document): boolean {
  return [...operand].every(([name, value]) => {
    if (name.startsWith('$')) return false;
    return value instanceof Map ? isPlainProjection(value) : isNumeric(value) || typeof value === 'boolean';
  });
}

function sampleStage(operand: Value): Stage {
  const size = wholeNumber(requireDocument('$sample', operand).get('size') ?? null);
  if (size === undefined || size < 1) throw badValue('$sample needs a size of at least 1');
  return {
    run: function* (documents, memory) {
      const remaining = yield* collectCounted(documents, memory);
      for (let taken = 0; taken < size && remaining.length > 0; taken++) {
        const at = randomInt(remaining.length);
        const document = remaining[at];
        const last = remaining.pop();
        if (last && at < remaining.length) remaining[at] = last;
        if (document) yield document;
      }
    },
  };
}

export function requireDocument(stage: string, operand: Value): Document {
  if (operand instanceof Map) return operand;
  throw badValue(`${stage} needs a document`);
}
