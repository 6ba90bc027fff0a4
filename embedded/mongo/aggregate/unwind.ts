import type { Document, Maybe, Value } from '../bson/value.ts';
import { badValue } from '../errors.ts';
import { isTruthy } from '../query/operators.ts';
import { isSliceOver, type Pause, pause } from '../slice.ts';
import type { Stage } from './stage.ts';

const optionNames = new Set(['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays']);

type Unwind = { parts: string[]; indexParts: string[] | undefined; keepsEmpty: boolean };

/** Parses `$unwind`, which outputs one document per array element. */
export function unwindStage(operand: Value): Stage {
  const unwind = parseUnwind(operand);
  return {
    run: function* (documents) {
      for (const document of documents) {
        if (document === pause) yield pause;
        else yield* unwound(document, unwind);
      }
    },
  };
}

function parseUnwind(operand: Value): Unwind {
  const options: Document = operand instanceof Map ? operand : new Map([['path', operand]]);
  const path = options.get('path');
  const indexPath = options.get('includeArrayIndex');
  for (const name of options.keys()) if (!optionNames.has(name)) throw badValue(`$unwind has no option ${name}`);
  if (typeof path !== 'string' || !/^\$[^$]/.test(path)) throw badValue('$unwind needs a path that starts with $');
  if (indexPath !== undefined && (typeof indexPath !== 'string' || !/^[^$]/.test(indexPath))) {
    throw badValue('includeArrayIndex of $unwind needs the name of a field');
  }
  return {
    parts: path.slice(1).split('.'),
    indexParts: indexPath?.split('.'),
    keepsEmpty: isTruthy(options.get('preserveNullAndEmptyArrays')),
  };
}

function* unwound(document: Document, { parts, indexParts, keepsEmpty }: Unwind): Generator<Document | Pause> {
  const numbered = (unnumbered: Document, index: Value) =>
    indexParts ? withField(unnumbered, indexParts, index) : unnumbered;
  const value = fieldAt(document, parts);
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, element] of value.entries()) {
      yield numbered(withField(document, parts, element), BigInt(index));
      if (isSliceOver()) yield pause;
    }
    return;
  }
  const isEmpty = value === undefined || value === null || Array.isArray(value);
  if (isEmpty && !keepsEmpty) return;
  yield numbered(Array.isArray(value) ? withField(document, parts, undefined) : document, null);
}

function fieldAt(document: Document, parts: string[]): Maybe {
  let value: Maybe = document;
  for (const part of parts) value = value instanceof Map ? value.get(part) : undefined;
  return value;
}

/** Copies the documents along a path and sets the field; removes it when the value is undefined. */
function withField(document: Maybe, parts: string[], value: Maybe): Document {
  const [name = '', ...rest] = parts;
  const copy: Document = new Map(document instanceof Map ? document : []);
  const inner = rest.length > 0 ? withField(copy.get(name), rest, value) : value;
  if (inner === undefined) copy.delete(name);
  else copy.set(name, inner);
  return copy;
}
