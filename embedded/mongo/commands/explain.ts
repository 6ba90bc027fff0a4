import type { Fields } from '../bson/value.ts';
import { badValue, notSupported } from '../errors.ts';
import { type Plan, planQuery } from '../query/planner.ts';
import { findCollection } from '../store/catalog.ts';
import { keyPattern } from '../store/index-spec.ts';
import { type Command, type Request, requireKnownOptions } from './command.ts';
import { find, parseQuery } from './find.ts';

export const explain: Command = {
  kind: 'read',
  options: new Set(['verbosity']),
  run: ({ store }, request) => {
    const body = request.body.get('explain');
    if (!(body instanceof Map)) throw badValue('explain needs a command');
    const [name = ''] = body.keys();
    if (name !== 'find') throw notSupported(`explain of the command ${name}`);
    const inner: Request = { ...request, name, body };
    requireKnownOptions(find, inner);
    const collectionName = String(body.get('find'));
    const collection = findCollection(store, request.database, collectionName);
    const query = parseQuery(inner, collection);
    const winningPlan = collection
      ? withSort(planQuery(collection, query.filter, query.sort, query.hint), query.sort.length > 0)
      : { stage: 'EOF' };
    return {
      explainVersion: '1',
      queryPlanner: {
        namespace: `${request.database}.${collectionName}`,
        winningPlan,
        rejectedPlans: [],
      },
      command: body,
    };
  },
};

/** A stage SORT stands above plans that do not give the order themselves. */
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
    direction: plan.backward ? 'backward' : 'forward',
    ranges: plan.ranges.length,
  };
}
