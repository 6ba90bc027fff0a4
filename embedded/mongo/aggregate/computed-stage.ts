import { type Document, isNumeric, type Value } from '../bson/value.ts';
import { badValue, MongoError } from '../errors.ts';
import { fieldsReadBy, requireGroup, requireKnownExpressions } from './expression-check.ts';
import { mingo } from './mingo.ts';
import { fromPlainDocument, toPlainDocument, toPlainStage } from './plain-values.ts';
import type { Stage } from './stage.ts';

type Kind = {
  /** Holds all documents before it yields the first. */
  collects: boolean;
  /** What it yields is made of its expressions alone, so that it needs no other fields. */
  replaces: boolean;
  /** Names the fields it computes with in expressions, as `$field`, and nowhere else. */
  namesFields: boolean;
};

const kinds = new Map<string, Kind>([
  ['$addFields', { collects: false, replaces: false, namesFields: true }],
  ['$set', { collects: false, replaces: false, namesFields: true }],
  ['$project', { collects: false, replaces: false, namesFields: true }],
  ['$replaceRoot', { collects: false, replaces: true, namesFields: true }],
  ['$replaceWith', { collects: false, replaces: true, namesFields: true }],
  ['$redact', { collects: false, replaces: false, namesFields: false }],
  ['$group', { collects: true, replaces: true, namesFields: true }],
  ['$bucketAuto', { collects: true, replaces: true, namesFields: true }],
  ['$densify', { collects: true, replaces: false, namesFields: false }],
  ['$fill', { collects: true, replaces: false, namesFields: false }],
  ['$setWindowFields', { collects: true, replaces: false, namesFields: false }],
]);

/**
 * A stage that mingo computes, or undefined for another. Throws for an expression that is unknown or not supported.
 */
export function computedStage(name: string, operand: Value): Stage | undefined {
  const kind = kinds.get(name);
  if (!kind) return undefined;
  if (name === '$group') requireGroup(operand, mingo().accumulatorNames);
  requireKnownExpressions(operand, mingo().expressionNames);
  const plainOperand = toPlainStage(operand);
  const named = kind.namesFields ? fieldsReadBy(operand) : undefined;
  return {
    collects: kind.collects,
    reads: kind.replaces ? named : undefined,
    run: (documents) => compute({ name, operand, plainOperand, named }, documents),
  };
}

type Computation = { name: string; operand: Value; plainOperand: unknown; named: ReadonlySet<string> | undefined };

function* compute(computation: Computation, documents: Iterable<Document>): Generator<Document> {
  const { name, operand, plainOperand, named } = computation;
  let source: Document = new Map();
  function* plainDocuments(): Generator<object> {
    for (const document of documents) {
      source = document;
      yield toPlainDocument(document, named);
    }
  }
  const results = explained(name, () => mingo().stream(name, plainOperand, plainDocuments()));
  for (;;) {
    const next = explained(name, () => results.next());
    if (next.done) return;
    const result = fromPlainDocument(next.value);
    yield name === '$project' && operand instanceof Map ? projectedOrder(result, source, operand) : result;
  }
}

/** `_id` and the fields that are kept stand as in the document, those that are computed after them. */
function projectedOrder(result: Document, source: Document, operand: Document): Document {
  const computed = new Set([...operand].filter(([, value]) => !isKept(value)).map(([path]) => topLevel(path)));
  const kept = [...source.keys()].filter((name) => !computed.has(name));
  const ordered: Document = new Map();
  for (const name of ['_id', ...kept, ...[...operand.keys()].map(topLevel)]) {
    const value = result.get(name);
    if (value !== undefined) ordered.set(name, value);
  }
  return ordered;
}

const isKept = (value: Value) => isNumeric(value) || typeof value === 'boolean';
const topLevel = (path: string) => path.split('.', 1)[0] ?? '';

/** mingo says with errors of its own what is wrong with a stage; those of reading documents are not its. */
function explained<Result>(name: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof MongoError || 'errcode' in error) throw error;
    throw badValue(`The stage ${name} failed: ${error.message}`);
  }
}
