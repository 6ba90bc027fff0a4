import type { Collection } from '../store/catalog.ts';
import { servesQueries } from '../store/index-spec.ts';
import { type Candidate, conditionsOf, considerIndex } from './candidates.ts';
import { estimateKeys, estimateLimits } from './estimate.ts';
import { allOf, type Filter } from './filter.ts';
import type { Hint, Plan } from './plan.ts';
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
  return options.length === 1 ? only.plan : cheapest(options, request);
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
 * fraction of reading them. A plan in sort order of a limited query stops when it has found enough documents, which is
 * expected after `keys / matches` times the limit.
 */
function cheapest(options: Option[], { sort, skip = 0, limit = 0 }: PlanRequest): Plan {
  const byScore = [...options].sort((left, right) => right.score - left.score);
  const counted = withMinKeys(byScore);
  // All plans are large: the heuristic score decides, which prefers a plan in sort order.
  const [best] = byScore;
  if (!counted) return (best ?? (options[0] as Option)).plan;
  const { fewest, option } = counted;
  if (sort.length === 0 || limit === 0 || option.plan.providesSort) return option.plan;
  const enough = Math.ceil(fewest ** 2 / (skip + limit));
  const ordered = byScore.find(({ plan }) => plan.providesSort && estimateKeys(plan, enough + 1) <= enough);
  return (ordered ?? option).plan;
}

function withMinKeys(options: Option[]): { fewest: number; option: Option } | undefined {
  for (const limit of estimateLimits) {
    const counts = options.map(({ plan }) => estimateKeys(plan, limit));
    const fewest = Math.min(...counts);
    const option = options[counts.indexOf(fewest)];
    if (option && fewest < limit) return { fewest, option };
  }
  return undefined;
}
