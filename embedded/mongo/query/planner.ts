import { MaxKey, MinKey } from 'bson';
import { successor } from '../bson/key-encoding.ts';
import type { Collection, Index } from '../store/catalog.ts';
import {
  afterAllKeys,
  beforeAllKeys,
  type FieldBounds,
  type FieldFilter,
  fieldBounds,
  type KeyRange,
} from './bounds.ts';
import type { Filter } from './filter.ts';
import type { Hint, IndexPlan, Plan } from './plan.ts';
import type { SortField } from './sort.ts';

type Wanted = { filter: Filter; sort: SortField[]; hint?: Hint | undefined };

/** Chooses an index for the filter and sort, or reads the whole collection. */
export function planQuery(collection: Collection, { filter, sort, hint }: Wanted): Plan {
  if (hint?.kind === 'natural') return wholeCollection(sort, hint.backward);
  const conditions = conditionsOf(filter);
  const indexes = hint ? [hint.index] : collection.indexes.filter(({ builtTo }) => builtTo === undefined);
  let best: { plan: IndexPlan; score: number } | undefined;
  for (const index of indexes) {
    const candidate = considerIndex(index, filter, conditions, sort, hint !== undefined);
    if (candidate && (!best || candidate.score > best.score)) best = candidate;
    // Nothing is found faster, and most queries are by _id, the first of the indexes.
    if (best?.plan.isUniquePoint) break;
  }
  if (best) return best.plan;
  return unionOfBranches(collection, filter) ?? wholeCollection(sort, false);
}

function wholeCollection(sort: SortField[], backward: boolean): Plan {
  return { kind: 'collection', backward, providesSort: sort.length === 0 };
}

type Conditions = Map<string, FieldFilter[]>;

/** The conditions every match must meet, by path. */
function conditionsOf(filter: Filter, conditions: Conditions = new Map()): Conditions {
  if (filter.kind === 'field') conditions.set(filter.path, [...(conditions.get(filter.path) ?? []), filter]);
  if (filter.kind === 'and') for (const inner of filter.filters) conditionsOf(inner, conditions);
  return conditions;
}

function unionOfBranches(collection: Collection, filter: Filter): Plan | undefined {
  if (filter.kind !== 'or' || filter.filters.length === 0) return undefined;
  const plans = filter.filters.map((branch) => planQuery(collection, { filter: branch, sort: [] }));
  return plans.every((plan) => plan.kind !== 'collection') ? { kind: 'union', plans, providesSort: false } : undefined;
}

type Candidate = { plan: IndexPlan; score: number };

function considerIndex(
  index: Index,
  filter: Filter,
  conditions: Conditions,
  sort: SortField[],
  isForced: boolean,
): Candidate | undefined {
  const bounds = indexBounds(index, conditions);
  if (index.spec.sparse && !isForced && !requiresPresence(index, conditions)) return undefined;
  const direction = sortDirection(index, bounds, sort);
  if (bounds.length === 0 && (direction === undefined || sort.length === 0) && !isForced) return undefined;
  const plan: IndexPlan = {
    kind: 'index',
    index,
    ranges: combineBounds(bounds),
    backward: direction === 'backward',
    providesSort: direction !== undefined,
    mayRepeat: index.multikeyFields !== 0,
    isUniquePoint: isUniquePoint(index, bounds),
    isExact: index.multikeyFields === 0 && !index.spec.sparse && isExact(index, filter, bounds),
  };
  return { plan, score: score(index, bounds, plan.providesSort && sort.length > 0) };
}

const scores = { uniquePoint: 1000, point: 10, points: 8, ranges: 5, sort: 6 };

function score(index: Index, bounds: FieldBounds[], sorts: boolean): number {
  const parts = bounds.map((bound) => (isSinglePoint(bound) ? scores.point : scores[bound.kind]));
  const base = (isUniquePoint(index, bounds) ? scores.uniquePoint : 0) + (sorts ? scores.sort : 0);
  return parts.reduce((sum, part) => sum + part, base);
}

function isUniquePoint(index: Index, bounds: FieldBounds[]): boolean {
  return (
    index.spec.unique && bounds.length === index.spec.fields.length && bounds.every((bound) => bound.kind === 'points')
  );
}

const combinationsLimit = 2000;

function indexBounds(index: Index, conditions: Conditions): FieldBounds[] {
  const bounds: FieldBounds[] = [];
  let combinations = 1;
  let arrayIsBound = false;
  for (const [at, field] of index.spec.fields.entries()) {
    const isArray = ((index.multikeyFields >> at) & 1) === 1;
    // Conditions on two fields under one array may be met by different elements, which no single key shows.
    if (isArray && arrayIsBound) break;
    const bound = fieldBounds(boundingConditions(index, at, conditions), field.descending, isArray);
    if (!bound) break;
    if (bound.kind === 'points') combinations *= Math.max(1, bound.keys.length);
    if (combinations > combinationsLimit) break;
    arrayIsBound ||= isArray;
    bounds.push(bound);
    if (bound.kind === 'ranges') break;
  }
  return bounds;
}

function isSinglePoint(bound: FieldBounds | undefined): boolean {
  return bound?.kind === 'points' && bound.keys.length === 1;
}

/** A sparse index lacks documents, so a condition must rule out those that have none of its fields. */
function requiresPresence(index: Index, conditions: Conditions): boolean {
  return boundingConditions(index, 0, conditions).some(({ operator }) => comparisons.has(operator));
}

const comparisons = new Set(['$eq', '$in', '$gt', '$gte', '$lt', '$lte']);

/**
 * The conditions on a field of an index that may narrow where it is read. A sparse index has no key for what lacks all
 * its fields, elements of an array among them: what they may meet says nothing about the keys of the document.
 */
function boundingConditions(index: Index, at: number, conditions: Conditions): FieldFilter[] {
  const all = conditions.get(index.spec.fields[at]?.path ?? '') ?? [];
  return index.spec.sparse && at === 0 ? all.filter((condition) => !acceptsMissing(condition)) : all;
}

/** Null stands for what is missing, and every value lies between MinKey and MaxKey. */
function acceptsMissing({ operator, operand }: FieldFilter): boolean {
  const operands = operator === '$in' && Array.isArray(operand) ? operand : [operand];
  return operands.some((one) => one === null || one instanceof MinKey || one instanceof MaxKey);
}

function combineBounds(bounds: FieldBounds[]): KeyRange[] {
  let prefixes = [beforeAllKeys];
  for (const bound of bounds) {
    if (bound.kind === 'ranges') {
      return prefixes.flatMap((prefix) => bound.ranges.map((range) => rangeUnder(prefix, range)));
    }
    prefixes = prefixes.flatMap((prefix) => bound.keys.map((key) => Buffer.concat([prefix, key])));
  }
  return prefixes.map((prefix) => ({ from: prefix, to: successor(prefix) ?? afterAllKeys }));
}

function rangeUnder(prefix: Buffer, range: KeyRange): KeyRange {
  return { from: Buffer.concat([prefix, range.from]), to: Buffer.concat([prefix, range.to]) };
}

/** In which direction the index must be read to yield the sort's order; undefined when it cannot. */
function sortDirection(index: Index, bounds: FieldBounds[], sort: SortField[]): 'forward' | 'backward' | undefined {
  let at = 0;
  let backward: boolean | undefined;
  const isArray = (position: number) => ((index.multikeyFields >> position) & 1) === 1;
  const isConstant = (position: number) => isSinglePoint(bounds[position]) && !isArray(position);
  for (const wanted of sort) {
    while (isConstant(at) && index.spec.fields[at]?.path !== wanted.path) at++;
    const field = index.spec.fields[at];
    if (field?.path !== wanted.path) {
      if (index.spec.fields.some((other, position) => other.path === wanted.path && isConstant(position))) continue;
      return undefined;
    }
    if (isArray(at)) return undefined;
    if (!isConstant(at)) {
      const reversed = field.descending !== wanted.descending;
      if (backward !== undefined && backward !== reversed) return undefined;
      backward = reversed;
    }
    at++;
  }
  return backward ? 'backward' : 'forward';
}

function isExact(index: Index, filter: Filter, bounds: FieldBounds[]): boolean {
  const filters = filter.kind === 'and' ? filter.filters : [filter];
  if (!bounds.every(isSinglePoint) || filters.length !== bounds.length) return false;
  return filters.every(
    (one) =>
      one.kind === 'field' &&
      one.operator === '$eq' &&
      one.operand !== null &&
      index.spec.fields.slice(0, bounds.length).some((field) => field.path === one.path),
  );
}
