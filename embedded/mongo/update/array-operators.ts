import { BSONRegExp } from 'bson';
import { compareValues, equalValues } from '../bson/compare.ts';
import { type Document, type Maybe, typeOf, type Value } from '../bson/value.ts';
import { badValue, MongoError } from '../errors.ts';
import { elementTest } from '../query/element-match.ts';
import { isOperators, parseField, parseFilter } from '../query/filter.ts';
import { toNumber } from '../query/operators.ts';
import { compareSortKeys, parseSort, sortKey } from '../query/sort.ts';
import type { Modifier } from './modify.ts';

export const arrayOperators: [string, (operand: Value, path: string) => Modifier][] = [
  ['$push', push],
  ['$addToSet', addToSet],
  ['$pop', pop],
  ['$pull', pull],
  ['$pullAll', pullAll],
];

/** Parses `$push` with `$each`, `$position`, `$sort` and `$slice`, applied in that order. */
function push(operand: Value, path: string): Modifier {
  const modifiers = modifiersOf('$push', operand, ['$each', '$position', '$sort', '$slice']);
  if (!modifiers) return { creates: true, modify: (current) => [...arrayAt(current, path), operand] };
  const position = integerOf(modifiers, '$position');
  const slice = integerOf(modifiers, '$slice');
  const sort = sorterOf(modifiers.get('$sort'));
  const added = eachOf('$push', modifiers);
  return {
    creates: true,
    modify: (current) => {
      const array = [...arrayAt(current, path)];
      array.splice(position ?? array.length, 0, ...added);
      sort?.(array);
      if (slice === undefined) return array;
      return slice < 0 ? array.slice(slice) : array.slice(0, slice);
    },
  };
}

function addToSet(operand: Value, path: string): Modifier {
  const modifiers = modifiersOf('$addToSet', operand, ['$each']);
  const added = modifiers ? eachOf('$addToSet', modifiers) : [operand];
  return {
    creates: true,
    modify: (current) => {
      const array = [...arrayAt(current, path)];
      for (const value of added) {
        if (!array.some((present) => equalValues(present, value))) array.push(value);
      }
      return array;
    },
  };
}

function pop(operand: Value, path: string): Modifier {
  const end = toNumber(operand);
  if (end !== 1 && end !== -1) throw new MongoError('FailedToParse', '$pop expects 1 or -1');
  return {
    creates: false,
    modify: (current) => {
      if (!Array.isArray(current)) throw new MongoError('TypeMismatch', `The path '${path}' is of a non-array type`);
      return end === 1 ? current.slice(0, -1) : current.slice(1);
    },
  };
}

function pull(operand: Value, path: string): Modifier {
  const matches = pullTest(operand);
  return { creates: false, modify: (current) => arrayAt(current, path).filter((element) => !matches(element)) };
}

/** Parses the condition of `$pull`: a filter for elements that are documents, operators on the element, or equality. */
function pullTest(operand: Value): (element: Value) => boolean {
  if (operand instanceof Map && !isOperators(operand)) {
    const filter = parseFilter(operand);
    return (element) => element instanceof Map && filter.test(element);
  }
  if (!isOperators(operand) && !(operand instanceof BSONRegExp)) return (element) => equalValues(element, operand);
  const condition: Document = operand instanceof Map ? operand : new Map([['$regex', operand]]);
  const test = elementTest(condition, { parseFilter, parseField });
  return (element) => test([element]);
}

function pullAll(operand: Value, path: string): Modifier {
  if (!Array.isArray(operand)) throw badValue('$pullAll needs an array');
  return {
    creates: false,
    modify: (current) =>
      arrayAt(current, path).filter((element) => !operand.some((unwanted) => equalValues(element, unwanted))),
  };
}

function arrayAt(current: Maybe, path: string): Value[] {
  if (current === undefined) return [];
  if (Array.isArray(current)) return current;
  throw badValue(`The field "${path}" must be an array but is of type ${typeOf(current).alias}`);
}

/** Returns the operand's modifiers; undefined when it is a plain value to add. */
function modifiersOf(operator: string, operand: Value, known: string[]): Document | undefined {
  if (!(operand instanceof Map) || !operand.has('$each')) return undefined;
  const unknown = [...operand.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw badValue(`${operator} does not know the modifier ${unknown}`);
  return operand;
}

function eachOf(operator: string, modifiers: Document): Value[] {
  const values = modifiers.get('$each');
  if (Array.isArray(values)) return values;
  throw new MongoError(operator === '$push' ? 'BadValue' : 'TypeMismatch', `$each in ${operator} must be an array`);
}

function integerOf(modifiers: Document, name: string): number | undefined {
  const value = modifiers.get(name);
  if (value === undefined) return undefined;
  const number = toNumber(value);
  if (!Number.isInteger(number)) throw badValue(`${name} needs a whole number`);
  return number;
}

function sorterOf(sort: Maybe): ((array: Value[]) => void) | undefined {
  if (sort === undefined) return undefined;
  if (sort instanceof Map) {
    const fields = parseSort(sort);
    const keyOf = (value: Value) => sortKey(fields, value instanceof Map ? value : new Map());
    return (array) => array.sort((left, right) => compareSortKeys(fields, keyOf(left), keyOf(right)));
  }
  const direction = toNumber(sort);
  if (direction !== 1 && direction !== -1) throw badValue('$sort needs 1, -1 or a document of directions');
  return (array) => array.sort((left, right) => direction * compareValues(left, right));
}
