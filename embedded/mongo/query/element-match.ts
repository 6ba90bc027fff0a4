import type { Document, Maybe, Value } from '../bson/value.ts';
import { badValue } from '../errors.ts';
import type { Filter, Position } from './filter.ts';

type Parsers = {
  parseFilter: (document: Document) => Filter;
  parseField: (path: string, condition: Value) => Filter[];
};

const logical = new Set(['$and', '$or', '$nor']);
/** Fields of a DBRef, which begin with a dollar sign and are not operators. */
export const referenceFields: ReadonlySet<string> = new Set(['$ref', '$id', '$db']);
// Conditions on a bare element are parsed as conditions on a field of a holder document. An element that is itself an
// array is wrapped in an array and addressed by its position, so that it is compared whole and its elements are not.
const holderName = 'holder';
const positionPath = `${holderName}.0`;

/** Compiles `$elemMatch`: one element of the array must satisfy all conditions. */
export function elementTest(operand: Value, parsers: Parsers): (value: Maybe, position?: Position) => boolean {
  if (!(operand instanceof Map)) throw badValue('$elemMatch needs a document');
  const [first] = operand.keys();
  const ofValues = first?.startsWith('$') && !logical.has(first) && !referenceFields.has(first);
  const accepts = ofValues ? valueTest(operand, parsers) : documentTest(operand, parsers);
  return (value, position) => {
    if (!Array.isArray(value)) return false;
    const element = value.findIndex(accepts);
    if (position) position.element = element;
    return element >= 0;
  };
}

function documentTest(operand: Document, parsers: Parsers): (element: Value) => boolean {
  const filter = parsers.parseFilter(operand);
  return (element) => element instanceof Map && filter.test(element);
}

function valueTest(operand: Document, parsers: Parsers): (element: Value) => boolean {
  const filters = parsers.parseField(holderName, operand);
  const arrayFilters = parsers.parseField(positionPath, operand);
  return (element) => {
    const isArray = Array.isArray(element);
    const holder: Document = new Map([[holderName, isArray ? [element] : element]]);
    return (isArray ? arrayFilters : filters).every((filter) => filter.test(holder));
  };
}
