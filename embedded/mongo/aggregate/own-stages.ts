import { randomInt } from 'node:crypto';
import { type Document, isNumeric, type Value } from '../bson/value.ts';
import { badValue } from '../errors.ts';
import { allOf, parseFilter } from '../query/filter.ts';
import { toNumber } from '../query/operators.ts';
import { parseProjection } from '../query/projection.ts';
import { compareSortKeys, parseSort, sortKey } from '../query/sort.ts';
import type { Stage } from './stage.ts';
import { unwindStage } from './unwind.ts';

/** The stages that need no expressions; they treat values exactly as find, sort and projection do. */
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
    collects: false,
    run: function* (documents) {
      for (const document of documents) if (filter.test(document)) yield document;
    },
  };
}

function sortStage(operand: Value): Stage {
  const fields = parseSort(sortDocument(operand));
  return {
    collects: true,
    run: (documents) =>
      Array.from(documents, (document) => ({ document, key: sortKey(fields, document) }))
        .sort((left, right) => compareSortKeys(fields, left.key, right.key))
        .map(({ document }) => document),
  };
}

/** The operand of `$sort`, which must name a field. */
export function sortDocument(operand: Value): Document {
  const document = requireDocument('$sort', operand);
  if (document.size === 0) throw badValue('$sort needs at least one field');
  return document;
}

function sliceStage(skip: number, limit: number): Stage {
  return {
    collects: false,
    run: function* (documents) {
      let at = 0;
      for (const document of documents) {
        if (at++ < skip) continue;
        yield document;
        if (at - skip >= limit) return;
      }
    },
  };
}

export function skipCount(operand: Value): number {
  return wholeNumber('$skip', operand, 0);
}

export function limitCount(operand: Value): number {
  return wholeNumber('$limit', operand, 1);
}

function wholeNumber(stage: string, operand: Value, least: number): number {
  const number = isNumeric(operand) ? toNumber(operand) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw badValue(`${stage} needs a whole number of at least ${least}`);
}

function countStage(operand: Value): Stage {
  if (typeof operand !== 'string' || operand === '' || operand.startsWith('$') || operand.includes('.')) {
    throw badValue('$count needs the name of a field');
  }
  return {
    collects: false,
    reads: new Set(),
    run: function* (documents) {
      let count = 0;
      for (const _ of documents) count++;
      if (count > 0) yield new Map<string, Value>([[operand, count]]);
    },
  };
}

function unsetStage(operand: Value): Stage {
  const names = Array.isArray(operand) ? operand : [operand];
  if (names.length === 0 || !names.every((name) => typeof name === 'string')) {
    throw badValue('$unset needs the name of a field or an array of names');
  }
  return plainProjectStage(new Map(names.map((name) => [name, 0])));
}

/** `$project` without expressions: fields are kept or dropped as they are. */
export function plainProjectStage(operand: Document): Stage {
  const project = parseProjection(operand, allOf([]));
  if (!project) throw badValue('$project needs at least one field');
  return {
    collects: false,
    run: function* (documents) {
      for (const document of documents) yield project(document);
    },
  };
}

/** Whether a projection keeps and drops only. */
export function isPlainProjection(operand: Document): boolean {
  return [...operand].every(([name, value]) => {
    if (name.startsWith('$')) return false;
    return value instanceof Map ? isPlainProjection(value) : isNumeric(value) || typeof value === 'boolean';
  });
}

function sampleStage(operand: Value): Stage {
  const size = wholeNumber('$sample', requireDocument('$sample', operand).get('size') ?? null, 1);
  return {
    collects: true,
    run: function* (documents) {
      const left = Array.from(documents);
      for (let taken = 0; taken < size && left.length > 0; taken++) {
        const at = randomInt(left.length);
        const document = left[at];
        const last = left.pop();
        if (last && at < left.length) left[at] = last;
        if (document) yield document;
      }
    },
  };
}

export function requireDocument(stage: string, operand: Value): Document {
  if (operand instanceof Map) return operand;
  throw badValue(`${stage} needs a document`);
}
