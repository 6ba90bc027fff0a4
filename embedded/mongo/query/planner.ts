import { pause } from '../slice.ts';
import type { Collection } from '../store/catalog.ts';
import { servesQueries } from '../store/index-spec.ts';
import { type Candidate, conditionsOf, considerIndex } from './candidates.ts';
import { estimateKeys, estimateLimits } from './estimate.ts';
import { allOf, type Filter } from './filter.ts';
import type { Hint, Plan } from './plan.ts';
import { recordTest, scanPlan } from './scan.ts';
import type { SortField } from './sort.ts';

type PlanRequest = { filter: Filter; sort: SortField[]; skip?: number; limit?: number; hint?: Hint | undefined };
type Option = { plan: Plan; score: number };

/** Chooses how the candidates of a query are read: by the index with the fewest keys to examine, or a full scan. */
export function planQuery(collection: Collection, request: PlanRequest, depth = 0): Plan {
  const { filter, sort, hint } = request;
  if (hint?.kind === 'natural') return wholeCollection(sort, hint.backward);
  const conditions = conditionsOf(filter);
  const indexes = hint ? [hint.index] : collection.indexes;
  const candidates: Candidate[] = [];
  for (const index of indexes) {
    if (index.builtTo !== undefined || !servesQueries(index.spec)) continue;
    const candidate = considerIndex(index, filter, conditions, sort, hint !== undefined);
    // Cannot be improved on. Most queries are by _id, which is the first index.
    if (candidate?.plan.isUniquePoint) return candidate.plan;
    if (candidate) candidates.push(candidate);
  }
  const options: Option[] = [
    ...candidates.filter((one, at) => !candidates.some((other, before) => isBetter(other, one, before < at))),
    ...(hint ? [] : unions(collection, filter, depth)),
  ];
  const [only] = options;
  if (!only) return wholeCollection(sort, false);
  return options.length === 1 ? only.plan : cheapest(collection, options, request);
}

function wholeCollection(sort: SortField[], backward: boolean): Plan {
  return { kind: 'collection', backward, providesSort: sort.length === 0 };
}

/**
 * Whether a candidate reads at most as many keys as another, because it has all bounds of the other. Of two with equal
 * bounds and score, only one is kept.
 */
function isBetter(candidate: Candidate, other: Candidate, isBefore: boolean): boolean {
  if (candidate === other || candidate.score < other.score) return false;
  if (other.plan.providesSort && !candidate.plan.providesSort) return false;
  if (other.boundPaths.length === 0 || !other.boundPaths.every((path) => candidate.boundPaths.includes(path)))
    return false;
  if (candidate.score > other.score) return true;
  if (candidate.boundPaths.length > other.boundPaths.length) return true;
  return candidate.plan.isExact === other.plan.isExact ? isBefore : candidate.plan.isExact;
}

const nestedUnions = 2;
const unionBranches = 64;

/**
 * Builds a plan for each `$or` that every match must meet: one indexed plan per branch, combined with the other
 * conditions.
 */
function unions(collection: Collection, filter: Filter, depth: number): Option[] {
  if (depth >= nestedUnions) return [];
  const conjuncts = filter.kind === 'and' ? filter.filters : [filter];
  return conjuncts.flatMap((one): Option[] => {
    if (one.kind !== 'or' || one.filters.length === 0 || one.filters.length > unionBranches) return [];
    const others = conjuncts.filter((other) => other !== one);
    const plans = one.filters.map((branch) =>
      planQuery(collection, { filter: allOf([...others, branch]), sort: [] }, depth + 1),
    );
    const isIndexed = plans.every((plan) => plan.kind !== 'collection');
    return isIndexed ? [{ plan: { kind: 'union', plans, providesSort: false }, score: 0 }] : [];
  });
}

/**
 * Counts the keys of each plan up to a limit that grows until one plan has fewer, so that planning costs only a
 * fraction of reading them. Stored statistics would be averages, which fail on skewed values. A plan in sort order of a
 * limited query, which stops when it has found enough, is chosen as soon as no other plan reads fewer documents.
 */
function cheapest(collection: Collection, options: Option[], request: PlanRequest): Plan {
  const byScore = [...options].sort((left, right) => right.score - left.score);
  const isLimited = request.sort.length > 0 && request.limit !== undefined && request.limit > 0;
  const ordered = isLimited ? byScore.find(({ plan }) => plan.providesSort) : undefined;
  let expected: number | undefined;
  for (const limit of estimateLimits) {
    const counts = byScore.map(({ plan }) => estimateKeys(plan, limit));
    const fewest = Math.min(...counts);
    const option = byScore[counts.indexOf(fewest)];
    const isBest = fewest < sampledDocuments || option === ordered;
    if (option && fewest < limit && isBest) return option.plan;
    if (ordered) {
      expected ??= expectedReads(collection, ordered.plan, request);
      if (expected <= fewest) return ordered.plan;
    }
    if (option && fewest < limit) return option.plan;
  }
  // All plans are large: the heuristic score decides, which prefers a plan in sort order.
  return (byScore[0] ?? (options[0] as Option)).plan;
}

const sampledDocuments = 64;
const sampledBytes = 1024 * 1024;

/** How many documents a plan in sort order reads until it has found enough, judged by the first of them. */
function expectedReads(collection: Collection, plan: Plan, { filter, skip = 0, limit = 0 }: PlanRequest): number {
  const matches = recordTest(filter);
  const required = skip + limit;
  let [read, found, bytes] = [0, 0, 0];
  for (const record of scanPlan(collection, plan, Math.min(required, sampledDocuments))) {
    if (record === pause || bytes > sampledBytes || read === sampledDocuments) {
      return found === 0 ? Infinity : (read / found) * required;
    }
    read += 1;
    bytes += record.body.length;
    if (matches(record)) found += 1;
    if (found === required) break;
  }
  return read;
}
