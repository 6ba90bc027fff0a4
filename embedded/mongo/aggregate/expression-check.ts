import type { Value } from '../bson/value.ts';
import { MongoError, notSupported } from '../errors.ts';

/** Expressions that mingo has and that would run a script, or answer other than MongoDB does. */
const refused = new Set([
  '$function',
  '$accumulator',
  '$where',
  '$toDecimal',
  '$convert',
  '$type',
  '$toHashedIndexKey',
  '$sigmoid',
]);

/**
 * Throws for any operator within a stage that is not in `known`, so that a pipeline is refused as a whole
 * and not only when a document meets it.
 */
export function requireKnownExpressions(value: Value, known: ReadonlySet<string>): void {
  if (Array.isArray(value)) for (const element of value) requireKnownExpressions(element, known);
  if (!(value instanceof Map)) return;
  for (const [name, inner] of value) {
    if (name.startsWith('$')) requireKnown(name, known);
    if (name !== '$literal') requireKnownExpressions(inner, known);
  }
}

function requireKnown(name: string, known: ReadonlySet<string>): void {
  if (refused.has(name)) throw notSupported(`the aggregation operator ${name}`);
  if (!known.has(name)) throw new MongoError('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
}

/** Throws for a `$group` without `_id`, and for what stands in it without being an accumulator in `known`. */
export function requireGroup(operand: Value, known: ReadonlySet<string>): void {
  if (!(operand instanceof Map) || !operand.has('_id')) {
    throw new MongoError('Location15955', 'a group specification must include an _id');
  }
  for (const [field, accumulator] of operand) {
    if (field === '_id') continue;
    const [name = ''] = accumulator instanceof Map ? accumulator.keys() : [];
    if (refused.has(name)) throw notSupported(`the aggregation operator ${name}`);
    if (!known.has(name)) {
      throw new MongoError('Location15952', `unknown group operator '${name}' for the field ${field}`);
    }
  }
}

/**
 * The top-level fields that the expressions of a stage read, or undefined when it may read any. Only for stages
 * whose result holds nothing but what their expressions give.
 */
export function fieldsReadBy(value: Value): Set<string> | undefined {
  const names = new Set<string>();
  return collectFields(value, names) ? names : undefined;
}

const readsAnyField = new Set(['$getField', '$setField', '$unsetField']);

function collectFields(value: Value, names: Set<string>): boolean {
  if (typeof value === 'string' && value.startsWith('$')) {
    if (value.startsWith('$$ROOT') || value.startsWith('$$CURRENT')) return false;
    names.add(topLevelName(value.slice(1)));
    return true;
  }
  if (Array.isArray(value)) return value.every((element) => collectFields(element, names));
  if (!(value instanceof Map)) return true;
  return [...value].every(([name, inner]) => {
    if (name === 'sortBy' && inner instanceof Map) for (const path of inner.keys()) names.add(topLevelName(path));
    return !readsAnyField.has(name) && collectFields(inner, names);
  });
}

const topLevelName = (path: string) => path.split('.', 1)[0] ?? '';
