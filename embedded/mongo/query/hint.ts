import type { Maybe } from '../bson/value.ts';
import { badValue } from '../errors.ts';
import type { Collection } from '../store/catalog.ts';
import { toNumber } from './operators.ts';
import type { Hint } from './plan.ts';

/** Reads a hint: an index by name or key, or `$natural`. Throws BadValue when there is no such index. */
export function parseHint(hint: Maybe, collection: Collection | undefined): Hint | undefined {
  if (hint === undefined || hint === null || !collection) return undefined;
  if (hint instanceof Map && hint.size === 0) return undefined;
  if (hint instanceof Map && hint.has('$natural')) {
    return { kind: 'natural', backward: toNumber(hint.get('$natural')) === -1 };
  }
  const index = collection.indexes.find(({ spec, builtTo }) => {
    if (builtTo !== undefined) return false;
    if (!(hint instanceof Map)) return spec.name === hint;
    const fields = [...hint];
    return (
      fields.length === spec.fields.length &&
      spec.fields.every((field, at) => {
        const [path, direction] = fields[at] ?? [];
        return path === field.path && toNumber(direction) < 0 === field.descending;
      })
    );
  });
  if (!index) throw badValue('The hint names an index that the collection does not have');
  return { kind: 'index', index };
}
