import type { Maybe } from '../bson/value.ts';
import { badValue, notSupported } from '../errors.ts';
import type { Collection } from '../store/catalog.ts';
import { hasKey, servesQueries } from '../store/index-spec.ts';
import { toNumber } from './operators.ts';
import type { Hint } from './plan.ts';

/** Parses a hint: an index by name or key, or `$natural`. Throws BadValue for an unknown index. */
export function parseHint(hint: Maybe, collection: Collection | undefined): Hint | undefined {
  if (hint === undefined || hint === null || !collection) return undefined;
  if (hint instanceof Map && hint.size === 0) return undefined;
  if (hint instanceof Map && hint.has('$natural')) {
    return { kind: 'natural', backward: toNumber(hint.get('$natural')) === -1 };
  }
  const index = collection.indexes.find(({ spec, builtTo }) => {
    if (builtTo !== undefined) return false;
    return hint instanceof Map ? hasKey(spec, hint) : spec.name === hint;
  });
  if (!index) throw badValue('The hint names an index that the collection does not have');
  if (!servesQueries(index.spec)) throw notSupported(`a hint at the index ${index.spec.name}, which serves no query`);
  return { kind: 'index', index };
}
