import type { Document, Value } from '../bson/value.ts';
import { badValue, MongoError, notSupported } from '../errors.ts';
import { type Memory, sizeOf, take } from '../memory.ts';
import { allOf, type Filter, parseFilter } from '../query/filter.ts';
import type { Query } from '../query/find.ts';
import { parseSort } from '../query/sort.ts';
import { collect, type Pause } from '../slice.ts';
import { computeStages, refusedStages } from './compute-stages.ts';
import { expandStage, type NamedStage } from './group-stages.ts';
import {
  collectCounted,
  countingGroupStage,
  inSlices,
  isPlainProjection,
  limitCount,
  ownStages,
  plainProjectStage,
  requireDocument,
  skipCount,
  sortDocument,
} from './own-stages.ts';
import type { Documents, Stage } from './stage.ts';

/** Parsed pipeline: the leading stages as a query that can use indexes, and the remaining stages. */
export type Pipeline = { query: Query; stages: Stage[] };

/** Parses a pipeline. Throws an error that names an unknown stage or expression. */
export function parsePipeline(operand: Value): Pipeline {
  const named = namedStages(operand);
  const { query, taken } = leadingQuery(named);
  return { query, stages: named.slice(taken).map(parseStage) };
}

function namedStages(pipeline: Value): NamedStage[] {
  if (!Array.isArray(pipeline)) throw badValue('A pipeline must be an array of stages');
  return pipeline.map((stage) => {
    const [entry, ...others] = stage instanceof Map ? stage : [];
    if (!entry || others.length > 0) {
      throw new MongoError('Location40323', 'A pipeline stage must be a document with exactly one field');
    }
    return { name: entry[0], operand: entry[1] };
  });
}

/** Merges leading `$match` stages and one each of `$sort`, `$skip` and `$limit` in this order into one query. */
function leadingQuery(stages: NamedStage[]): { query: Query; taken: number } {
  const query: Query = { filter: allOf([]), sort: [], skip: 0, limit: 0 };
  const filters: Filter[] = [];
  let taken = 0;
  const take = <Operand>(name: string, parse: (operand: Value) => Operand): Operand | undefined => {
    const stage = stages[taken];
    if (stage?.name !== name) return undefined;
    taken++;
    return parse(stage.operand);
  };
  const takeMatches = () => {
    const parse = (operand: Value) => parseFilter(requireDocument('$match', operand));
    for (let filter = take('$match', parse); filter; filter = take('$match', parse)) filters.push(filter);
  };
  takeMatches();
  query.sort = take('$sort', (operand) => parseSort(sortDocument(operand))) ?? [];
  takeMatches();
  query.skip = take('$skip', skipCount) ?? 0;
  query.limit = take('$limit', limitCount) ?? 0;
  query.filter = allOf(filters);
  return { query, taken };
}

function parseStage(stage: NamedStage): Stage {
  const { name, operand } = stage;
  const own = ownStages.get(name);
  if (own) return own(operand);
  const expanded = expandStage(stage);
  if (expanded) return chainedStage(expanded.map(parseStage));
  if (name === '$facet') return facetStage(operand);
  if (name === '$project' && operand instanceof Map && isPlainProjection(operand)) return plainProjectStage(operand);
  const counting = name === '$group' ? countingGroupStage(operand) : undefined;
  const computed = counting ?? computeStages.get(name)?.(operand);
  if (computed) return computed;
  if (refusedStages.has(name)) throw notSupported(`the aggregation stage ${name}`);
  throw unrecognized(name);
}

function unrecognized(name: string): MongoError {
  return new MongoError('Location40324', `Unrecognized pipeline stage name: '${name}'`);
}

/** Stages that an update may have: each outputs one document per input document. */
const updateStages = new Set(['$addFields', '$set', '$project', '$unset', '$replaceRoot', '$replaceWith']);
const composedStages = ['$facet', '$bucket', '$sortByCount'];
const stageNames = new Set([...ownStages.keys(), ...computeStages.keys(), ...refusedStages, ...composedStages]);

/** Parses the pipeline of an update. Throws InvalidOptions for other stages of MongoDB. */
export function parseUpdatePipeline(operand: Value): Stage[] {
  return namedStages(operand).map((stage) => {
    if (updateStages.has(stage.name)) return parseStage(stage);
    if (!stageNames.has(stage.name)) throw unrecognized(stage.name);
    throw new MongoError('InvalidOptions', `${stage.name} is not allowed to be used within an update`);
  });
}

/** Runs several pipelines over the same documents; each outputs an array. */
function facetStage(operand: Value): Stage {
  const pipelines = [...requireDocument('$facet', operand)].map(([name, pipeline]) => {
    const stages = namedStages(pipeline);
    if (stages.some((stage) => stage.name === '$facet')) throw badValue('A $facet cannot stand within a $facet');
    return { name, stages: stages.map(parseStage) };
  });
  if (pipelines.length === 0) throw badValue('$facet needs at least one pipeline');
  return { run: (documents, memory) => facetResult(documents, pipelines, memory) };
}

type NamedPipeline = { name: string; stages: Stage[] };

function* facetResult(documents: Documents, pipelines: NamedPipeline[], memory: Memory): Generator<Document | Pause> {
  const all = yield* collectCounted(documents, memory);
  const result: Document = new Map();
  for (const { name, stages } of pipelines) {
    const results = runStages(inSlices(all), stages, memory);
    result.set(name, yield* collect<Document>(results, (document) => take(memory, sizeOf(document))));
  }
  yield result;
}

/** Combines several stages into one. */
function chainedStage(stages: Stage[]): Stage {
  return {
    reads: stages[0]?.reads,
    run: (documents, memory) => runStages(documents, stages, memory),
  };
}

/** Runs the documents through all stages. */
export function runStages(documents: Documents, stages: Stage[], memory: Memory): Documents {
  return stages.reduce((input, stage) => stage.run(input, memory), documents);
}
