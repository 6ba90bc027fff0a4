import { encodeKey } from '../bson/key-encoding.ts';
import { type Document, isDocument, type Value } from '../bson/value.ts';
import { MongoError } from '../errors.ts';
import { objectBytes, sizeOf, take } from '../memory.ts';
import { isSliceOver, pause } from '../slice.ts';
import { type Accumulation, parseAccumulator } from './accumulators.ts';
import { parseExpression, type Reads } from './expression.ts';
import { addFieldsTo, parseAddedFields, parseComputedProjection, project } from './field-tree.ts';
import type { Stage } from './stage.ts';

/** Stages that evaluate expressions. */
export const computeStages = new Map<string, (operand: Value) => Stage>([
  ['$addFields', (operand) => addFieldsStage('$addFields', operand)],
  ['$set', (operand) => addFieldsStage('$set', operand)],
  ['$project', projectStage],
  ['$replaceRoot', replaceRootStage],
  ['$replaceWith', replaceWithStage],
  ['$group', groupStage],
]);

function perDocument(change: (document: Document) => Document, reads?: Reads): Stage {
  return {
    reads: reads && !reads.all ? reads.names : undefined,
    run: function* (documents) {
      for (const document of documents) yield document === pause ? pause : change(document);
    },
  };
}

function addFieldsStage(name: string, operand: Value): Stage {
  if (!isDocument(operand)) throw new MongoError('Location40272', `${name} specification stage must be an object`);
  const tree = parseAddedFields(name, operand);
  return perDocument((document) => addFieldsTo(document, tree, document));
}

function projectStage(operand: Value): Stage {
  if (!isDocument(operand)) throw new MongoError('Location15969', '$project specification must be an object');
  const tree = parseComputedProjection(operand);
  return perDocument((document) => project(document, tree, document));
}

function replaceRootStage(operand: Value): Stage {
  const [[name, newRoot] = ['', null], ...others] = isDocument(operand) ? operand : [];
  if (name !== 'newRoot' || others.length > 0)
    throw new MongoError('Location40231', 'no newRoot specified for the $replaceRoot stage');
  return replaceWithStage(newRoot);
}

function replaceWithStage(operand: Value): Stage {
  const reads: Reads = { names: new Set(), all: false };
  const expression = parseExpression(operand, reads);
  return perDocument((document) => {
    const root = expression(document);
    if (isDocument(root)) return root;
    throw new MongoError('Location40228', "'newRoot' expression must evaluate to an object");
  }, reads);
}

type Group = { id: Value; fields: Accumulation[] };

function groupStage(operand: Value): Stage {
  if (!isDocument(operand)) throw new MongoError('Location15947', "a group's fields must be specified in an object");
  const idOperand = operand.get('_id');
  if (idOperand === undefined) throw new MongoError('Location15955', 'a group specification must include an _id');
  const reads: Reads = { names: new Set(), all: false };
  const idOf = parseExpression(idOperand, reads);
  const accumulators = [...operand]
    .filter(([field]) => field !== '_id')
    .map(([field, accumulator]) => parseAccumulator(field, accumulator, reads));
  return {
    reads: reads.all ? undefined : reads.names,
    run: function* (documents, memory) {
      const groups = new Map<string, Group>();
      for (const document of documents) {
        if (document === pause) {
          yield pause;
          continue;
        }
        const id = idOf(document) ?? null;
        const key = encodeKey([{ value: id, descending: false }]).toString('latin1');
        let group = groups.get(key);
        if (!group) {
          take(memory, key.length + sizeOf(id) + objectBytes * (2 + accumulators.length));
          group = { id, fields: accumulators.map(({ begin }) => begin(memory)) };
          groups.set(key, group);
        }
        for (let at = 0; at < accumulators.length; at++) group.fields[at]?.add(accumulators[at]?.expression(document));
      }
      for (const { id, fields } of groups.values()) {
        yield new Map([
          ['_id', id],
          ...fields.map((field, at): [string, Value] => [accumulators[at]?.field ?? '', field.result()]),
        ]);
        if (isSliceOver()) yield pause;
      }
    },
  };
}

/** Stages of MongoDB that are rejected by name. Stages over a second collection would hide a full scan of it. */
export const refusedStages: ReadonlySet<string> = new Set(
  [
    ...['bucketAuto', 'changeStream', 'changeStreamSplitLargeEvent', 'collStats', 'currentOp', 'densify', 'documents'],
    ...['fill', 'geoNear', 'graphLookup', 'indexStats', 'listLocalSessions', 'listSampledQueries', 'listSearchIndexes'],
    ...['listSessions', 'lookup', 'merge', 'out', 'planCacheStats', 'redact', 'search', 'searchMeta'],
    ...['setWindowFields', 'shardedDataDistribution', 'unionWith', 'vectorSearch'],
  ].map((name) => `$${name}`),
);
