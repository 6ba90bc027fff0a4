import { MaxKey, MinKey } from 'bson';
import { equalValues } from '../bson/compare.ts';
import { successor } from '../bson/key-encoding.ts';
import { badValue } from '../errors.ts';
import type { Index } from '../store/catalog.ts';
import { afterAllKeys, beforeAllKeys, type FieldBounds, fieldBounds, type KeyRange } from './bounds.ts';
import type { FieldFilter, Filter } from './filter.ts';
import type { IndexPlan } from './plan.ts';
import type { SortField } from './sort.ts';

/** Conditions that every match must meet, by path. */
type Conditions = Map<string, FieldFilter[]>;

export function conditionsOf(filter: Filter, conditions: Conditions = new Map()): Conditions {
  if (filter.kind === 'field') {
    const others = conditions.get(filter.path);
    if (others) others.push(filter);
    else conditions.set(filter.path, [filter]);
  }
  if (filter.kind === 'and') for (const inner of filter.filters) conditionsOf(inner, conditions);
  return conditions;
}

/** A way to read an index, its heuristic score, and the paths whose conditions bound it. */
export type Candidate = { plan: IndexPlan; score: number; boundPaths: string[] };

/** Returns how an index can serve a query; undefined when it cannot. */
export function considerIndex(
  index: Index,
  filter: Filter,
  conditions: Conditions,
  sort: SortField[],
  isForced: boolean,
): Candidate | undefined {
  if (!isForced && sort.length === 0 && !conditions.has(index.spec.fields[0]?.path ?? '')) return undefined;
  if (index.spec.partial && !meetsAll(conditions, index.spec.partial.filters)) {
    if (isForced) throw badValue(`The hint names the partial index ${index.spec.name}, which lacks documents`);
    return undefined;
  }
  const bounds = indexBounds(index, conditions);
  if (index.spec.sparse && !isForced && !requiresPresence(index, conditions)) return undefined;
  const direction = sortDirection(index, bounds, sort);
  const isOfSome = index.spec.sparse || index.spec.partial !== undefined;
  if (bounds.length === 0 && (direction === undefined || sort.length === 0) && !isForced && !isOfSome) return undefined;
  const { ranges, prefixBytes } = combineBounds(bounds);
  const merged =
    direction === undefined && ranges.length <= mergeLimit ? mergedDirection(index, bounds, sort) : undefined;
  const providesSort = direction !== undefined || merged !== undefined;
  const plan: IndexPlan = {
    kind: 'index',
    index,
    ranges,
    backward: (direction ?? merged) === 'backward',
    providesSort,
    mergesFrom: merged && prefixBytes,
    mayRepeat: index.multikeyFields !== 0,
    isUniquePoint: merged === undefined && isUniquePoint(index, bounds),
    isExact: index.multikeyFields === 0 && !index.spec.sparse && isExact(index, filter, bounds),
  };
  const boundPaths = index.spec.fields.slice(0, bounds.length).map(({ path }) => path);
  return { plan, score: score(index, bounds, providesSort && sort.length > 0), boundPaths };
}

/** Maximum number of ranges that are merged for a sort by the key fields after the points. */
const mergeLimit = 64;

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

/**
 * Above this number of combinations of points of several fields, fewer fields bound the index; points of one field
 * always do.
 */
const combinationsLimit = 20_000;

function indexBounds(index: Index, conditions: Conditions): FieldBounds[] {
  const bounds: FieldBounds[] = [];
  let combinations = 1;
  let arrayIsBound = false;
  for (const [at, field] of index.spec.fields.entries()) {
    const isArray = ((index.multikeyFields >> at) & 1) === 1;
    // Different elements may meet conditions on two fields under one array; no single key shows that.
    if (isArray && arrayIsBound) break;
    const bound = fieldBounds(boundingConditions(index, at, conditions), field.descending, isArray);
    if (!bound) break;
    if (bound.kind === 'points') combinations *= Math.max(1, bound.keys.length);
    if (bounds.length > 0 && combinations > combinationsLimit) break;
    arrayIsBound ||= isArray;
    bounds.push(bound);
    if (bound.kind === 'ranges') break;
  }
  return bounds;
}

function isSinglePoint(bound: FieldBounds | undefined): boolean {
  return bound?.kind === 'points' && bound.keys.length === 1;
}

/** A sparse index lacks documents, so a condition must exclude documents that have none of its fields. */
function requiresPresence(index: Index, conditions: Conditions): boolean {
  return boundingConditions(index, 0, conditions).some(isOfPresent);
}

/** Whether a condition implies that the field exists. */
function isOfPresent(condition: FieldFilter): boolean {
  return comparisons.has(condition.operator) && !acceptsMissing(condition);
}

const comparisons = new Set(['$eq', '$in', '$gt', '$gte', '$lt', '$lte', '$exists']);

/**
 * Conditions that may bound a field of an index. A sparse index has no key for an element that lacks all its fields, so
 * a condition that accepts a missing field says nothing about the keys of the document.
 */
function boundingConditions(index: Index, at: number, conditions: Conditions): FieldFilter[] {
  const all = conditions.get(index.spec.fields[at]?.path ?? '') ?? [];
  return index.spec.sparse && at === 0 ? all.filter((condition) => !acceptsMissing(condition)) : all;
}

/** Whether an operand matches a missing field: null equals one, and every value lies between MinKey and MaxKey. */
function acceptsMissing({ operator, operand }: FieldFilter): boolean {
  const operands = operator === '$in' && Array.isArray(operand) ? operand : [operand];
  return operands.some((one) => one === null || one instanceof MinKey || one instanceof MaxKey);
}

type Combined = {
  ranges: KeyRange[];
  /** Length of the point prefix in the keys of each range. */
  prefixBytes: number[];
};

function combineBounds(bounds: FieldBounds[]): Combined {
  if (bounds.every(isSinglePoint)) return combinePoints(bounds);
  let prefixes = [beforeAllKeys];
  for (const bound of bounds) {
    if (bound.kind === 'ranges') {
      const { ranges } = bound;
      return {
        ranges: prefixes.flatMap((prefix) => ranges.map((range) => rangeUnder(prefix, range))),
        prefixBytes: prefixes.flatMap(({ length }) => ranges.map(() => length)),
      };
    }
    prefixes = prefixes.flatMap((prefix) => bound.keys.map((key) => Buffer.concat([prefix, key])));
  }
  return {
    ranges: prefixes.map((prefix) => ({ from: prefix, to: successor(prefix) ?? afterAllKeys })),
    prefixBytes: prefixes.map(({ length }) => length),
  };
}

/** Fast path for one range, which most queries have. */
function combinePoints(bounds: FieldBounds[]): Combined {
  const keys = bounds.flatMap((bound) => (bound.kind === 'points' ? bound.keys : []));
  const [only] = keys;
  const from = only && keys.length === 1 ? only : Buffer.concat(keys);
  return { ranges: [{ from, to: successor(from) ?? afterAllKeys }], prefixBytes: [from.length] };
}

function rangeUnder(prefix: Buffer, range: KeyRange): KeyRange {
  return { from: Buffer.concat([prefix, range.from]), to: Buffer.concat([prefix, range.to]) };
}

/** Whether a query's conditions imply the filter of a partial index. */
function meetsAll(conditions: Conditions, filters: FieldFilter[]): boolean {
  return filters.every((filter) =>
    (conditions.get(filter.path) ?? []).some((condition) =>
      filter.operator === '$exists' ? isOfPresent(condition) : isSame(condition, filter),
    ),
  );
}

const isSame = (left: FieldFilter, right: FieldFilter): boolean =>
  left.operator === right.operator && equalValues(left.operand, right.operand);

/** Direction for a merge of ranges under several points, when the query sorts by the fields after the points. */
function mergedDirection(index: Index, bounds: FieldBounds[], sort: SortField[]): Direction | undefined {
  const points = bounds.filter(({ kind }) => kind === 'points').length;
  const pointPaths = index.spec.fields.slice(0, points).map(({ path }) => path);
  if (points === 0 || index.multikeyFields !== 0 || sort.some(({ path }) => pointPaths.includes(path)))
    return undefined;
  const behind = { ...index, spec: { ...index.spec, fields: index.spec.fields.slice(points) } };
  return sortDirection(behind, [], sort);
}

type Direction = 'forward' | 'backward';

/** Direction in which the index yields the sort order; undefined when it cannot. */
function sortDirection(index: Index, bounds: FieldBounds[], sort: SortField[]): Direction | undefined {
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
