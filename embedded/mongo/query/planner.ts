import type { Collection } from '../store/catalog.ts';
import { servesQueries } from '../store/index-spec.ts';
import { type Candidate, conditionsOf, considerIndex } from './candidates.ts';
import { estimateKeys, estimateLimits } from './estimate.ts';
import { allOf, type Filter } from './filter.ts';
import type { Hint, Plan } from './plan.ts';
import type { SortField } from './sort.ts';

type PlanRequest = { filter: Filter; sort: SortField[]; skip?: number; limit?: number; hint?: Hint | undefined };
type Option = { plan: Plan; score: number };

/** Chooses how the candidates of a query are read: by the index with the fewest keys to look at, or all of them. */
export function planQuery(collection: Collection, wanted: PlanRequest, depth = 0): Plan {
  const { filter, sort, hint } = wanted;
  if (hint?.kind === 'natural') return wholeCollection(sort, hint.backward);
  const conditions = conditionsOf(filter);
  const indexes = hint ? [hint.index] : collection.indexes;
  const candidates: Candidate[] = [];
  for (const index of indexes) {
    if (index.builtTo !== undefined || !servesQueries(index.spec)) continue;
    const candidate = considerIndex(index, filter, conditions, sort, hint !== undefined);
    // Nothing is found faster, and most queries are by _id, the first of the indexes.
    if (candidate?.plan.isUniquePoint) return candidate.plan;
    if (candidate) candidates.push(candidate);
  }
  const options: Option[] = [
    ...candidates.filter((one, at) => !candidates.some((other, before) => isBetter(other, one, before < at))),
    ...(hint ? [] : unions(collection, filter, depth)),
  ];
  const [only] = options;
  if (!only) return wholeCollection(sort, false);
  return options.length === 1 ? only.plan : cheapest(options, wanted);
}

function wholeCollection(sort: SortField[], backward: boolean): Plan {
  return { kind: 'collection', backward, providesSort: sort.length === 0 };
}

/**
 * Whether a candidate reads no more than another, because all that narrows that one narrows it too. Of two that are
 * narrowed by the same, and read as many keys, one is enough.
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

/** For each `$or` that every match must meet: its branches, each together with the other conditions, by indexes. */
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
 * Counts the keys that each plan would read, up to a number that grows until one of them has fewer: it costs no more
 * than a part of what reading them will. A plan that gives the order of a limited query reads only until it has found
 * enough, which is expected after `keys / matches` of the limit.
 */
function cheapest(options: Option[], { sort, skip = 0, limit = 0 }: PlanRequest): Plan {
  const byScore = [...options].sort((left, right) => right.score - left.score);
  const counted = withMinKeys(byScore);
  // All are large: then the form of the conditions decides, and an order is worth most.
  const [best] = byScore;
  if (!counted) return (best ?? (options[0] as Option)).plan;
  const { fewest, option } = counted;
  if (sort.length === 0 || limit === 0 || option.plan.providesSort) return option.plan;
  const enough = Math.ceil(fewest ** 2 / (skip + limit));
  const ordered = byScore.find(({ plan }) => plan.providesSort && estimateKeys(plan, enough + 1) <= enough);
  return (ordered ?? option).plan;
}

function withMinKeys(options: Option[]): { fewest: number; option: Option } | undefined {
  for (const most of estimateLimits) {
    const counts = options.map(({ plan }) => estimateKeys(plan, most));
    const fewest = Math.min(...counts);
    const option = options[counts.indexOf(fewest)];
    if (option && fewest < most) return { fewest, option };
  }
  return undefined;
}
