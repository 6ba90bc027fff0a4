import { decodeDocument } from '../bson/decode.ts';
import type { Fields, Value } from '../bson/value.ts';
import { badValue, notSupported } from '../errors.ts';
import { estimateKeys, estimateLimits } from '../query/estimate.ts';
import type { Query } from '../query/find.ts';
import { addId, type IdSet } from '../query/id-set.ts';
import type { Plan } from '../query/plan.ts';
import { planQuery } from '../query/planner.ts';
import { scanPlan } from '../query/scan.ts';
import { pause, type Work } from '../slice.ts';
import { type Collection, findCollection } from '../store/catalog.ts';
import { keyPattern } from '../store/index-spec.ts';
import { aggregate, aggregatedCollection, parseAggregate } from './aggregate.ts';
import { type Command, collectionName, type Request, requireKnownOptions } from './command.ts';
import { find, parseQuery } from './find.ts';

export const explain: Command = {
  kind: 'read',
  options: new Set(['verbosity']),
  run: function* ({ store }, request) {
    const body = request.body.get('explain');
    if (!(body instanceof Map)) throw badValue('explain needs a command');
    const [name = ''] = body.keys();
    const inner: Request = { ...request, name, body };
    const verbosity = requireVerbosity(request.body.get('verbosity') ?? 'allPlansExecution');
    if (name !== 'find' && name !== 'aggregate') throw notSupported(`explain of the command ${name}`);
    requireKnownOptions(name === 'find' ? find : aggregate, inner);
    const collected = name === 'find' ? collectionName(inner) : aggregatedCollection(inner);
    const collection = findCollection(store, request.database, collected);
    const query = name === 'find' ? parseQuery(inner, collection) : parseAggregate(inner, collection).query;
    const explained = yield* explainQuery(`${request.database}.${collected}`, collection, query, verbosity);
    return { explainVersion: '1', ...explained, command: body };
  },
};

const verbosities = new Set<Value>(['queryPlanner', 'executionStats', 'allPlansExecution']);

function requireVerbosity(verbosity: Value): Value {
  if (verbosities.has(verbosity)) return verbosity;
  throw badValue(`The verbosity of explain is one of ${[...verbosities].join(', ')}`);
}

/** Explains a query; for an aggregation, the query of its leading stages, whose result the other stages read. */
function* explainQuery(
  namespace: string,
  collection: Collection | undefined,
  query: Query,
  verbosity: Value,
): Work<Fields> {
  const plan = collection && planQuery(collection, query);
  const winningPlan = plan ? withSort(plan, query.sort.length > 0) : { stage: 'EOF' };
  const queryPlanner = { namespace, winningPlan, rejectedPlans: [] };
  if (verbosity === 'queryPlanner') return { queryPlanner };
  return { queryPlanner, executionStats: yield* executionStats(collection, plan, query) };
}

/** Runs the query as find does and counts the keys and documents it examines. */
function* executionStats(collection: Collection | undefined, plan: Plan | undefined, query: Query): Work<Fields> {
  const startedAt = performance.now();
  const documents: IdSet = new Map();
  let totalDocsExamined = 0;
  let totalKeysExamined = 0;
  let matched = 0;
  const enough = query.limit > 0 && plan?.providesSort ? query.skip + query.limit : Infinity;
  for (const record of collection && plan ? scanPlan(collection, withRepeats(plan)) : []) {
    if (record === pause) {
      yield pause;
      continue;
    }
    if (plan?.kind !== 'collection') totalKeysExamined++;
    if (!addId(documents, record.id)) continue;
    totalDocsExamined++;
    if (query.filter.test(decodeDocument(record.body))) matched++;
    if (matched >= enough) break;
  }
  return {
    executionSuccess: true,
    nReturned: Math.min(Math.max(0, matched - query.skip), query.limit || Infinity),
    executionTimeMillis: Math.round(performance.now() - startedAt),
    totalKeysExamined,
    totalDocsExamined,
  };
}

/** Returns the plan without deduplication, so that all keys that are read are counted. */
function withRepeats(plan: Plan): Plan {
  return plan.kind === 'index' ? { ...plan, mayRepeat: false } : plan;
}

/** Adds a SORT stage above a plan that does not return documents in sort order. */
function withSort(plan: Plan, isSorted: boolean): Fields {
  const stage = planStage(plan);
  return isSorted && !plan.providesSort ? { stage: 'SORT', inputStage: stage } : stage;
}

function planStage(plan: Plan): Fields {
  if (plan.kind === 'collection') return { stage: 'COLLSCAN', direction: plan.backward ? 'backward' : 'forward' };
  if (plan.kind === 'union')
    return { stage: 'FETCH', inputStage: { stage: 'OR', inputStages: plan.plans.map(scanStage) } };
  return { stage: 'FETCH', inputStage: scanStage(plan) };
}

function scanStage(plan: Plan): Fields {
  if (plan.kind !== 'index') return planStage(plan);
  const { spec, multikeyFields } = plan.index;
  return {
    stage: 'IXSCAN',
    keyPattern: keyPattern(spec),
    indexName: spec.name,
    isMultiKey: multikeyFields !== 0,
    isUnique: spec.unique,
    isSparse: spec.sparse,
    isPartial: spec.partial !== undefined,
    direction: plan.backward ? 'backward' : 'forward',
    ranges: plan.ranges.length,
    // Counted up to the largest limit that the planner counts to.
    estimatedKeys: estimateKeys(plan, estimateLimits.at(-1) ?? 0),
  };
}
