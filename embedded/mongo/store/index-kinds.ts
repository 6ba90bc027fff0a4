import { type Document, isNumeric, type Value } from '../bson/value.ts';
import { MongoError, notSupported } from '../errors.ts';
import { allOf } from '../query/filter.ts';
import { toNumber } from '../query/operators.ts';
import { parseProjection } from '../query/projection.ts';
import { requireFlatPoints, requireSpherePoints } from './geometry.ts';
import { cannotCreate, type IndexField, type IndexKind, lengthToArray, parseIndexField } from './index-field.ts';
import { parseTextIndex } from './text-index.ts';

type Kind = {
  options: readonly string[];
  parse: (key: Document, options: Document) => IndexKind;
  /** Throws for `unique`, and for `sparse` where the kind does not support it. */
  requireOptions: (spec: { unique: boolean; sparse: boolean }) => void;
};

const kinds = new Map<string, Kind>([
  ['hashed', { options: [], parse: parseHashed, requireOptions: requireHashedOptions }],
  ['wildcard', { options: ['wildcardProjection'], parse: parseWildcard, requireOptions: requireWildcardOptions }],
  [
    'text',
    {
      options: ['weights', 'default_language', 'language_override', 'textIndexVersion'],
      parse: parseTextIndex,
      requireOptions: requireNotUnique('text'),
    },
  ],
  ['2dsphere', { options: ['2dsphereIndexVersion'], parse: parseSphere, requireOptions: requireNotUnique('2dsphere') }],
  ['2d', { options: ['bits', 'min', 'max'], parse: parseFlat, requireOptions: requireNotUnique('2d') }],
]);

/** Returns the kind that a key names; undefined for plain ascending and descending values. Throws CannotCreateIndex. */
export function kindOf(key: Document): Kind | undefined {
  const names = new Set([...key.values()].filter((value) => typeof value === 'string'));
  const [name] = names;
  if (names.size > 1) throw cannotCreate("Can't use more than one index plugin for a single index.");
  if (name === undefined) return [...key.keys()].some(isWildcard) ? kinds.get('wildcard') : undefined;
  const kind = name === 'wildcard' ? undefined : kinds.get(name);
  if (kind) return kind;
  throw cannotCreate(`Unknown index plugin '${name}'`);
}

function isWildcard(path: string): boolean {
  return path === '$**' || path.endsWith('.$**');
}

function requireNotUnique(name: string): Kind['requireOptions'] {
  return ({ unique }) => {
    if (unique) throw notSupported(`a unique index of the kind "${name}"`);
  };
}

function topLevel(fields: IndexField[]): string[] {
  return fields.map(({ parts }) => parts[0] ?? '');
}

/** A hashed index is stored as an ordered index of the values, which serves equality. */
function parseHashed(key: Document): IndexKind {
  const hashed = [...key.values()].filter((value) => value === 'hashed').length;
  if (hashed > 1) {
    throw new MongoError('Location31303', `A maximum of one index field is allowed to be hashed but found ${hashed}`);
  }
  const fields = [...key].map(([path, value]) => parseIndexField(path, value === 'hashed' ? 1 : value));
  return {
    name: 'hashed',
    key: keyOf(fields, key),
    options: new Map(),
    fields,
    names: topLevel(fields),
    check: (document) => {
      for (const field of fields) requireNoArray(document, field);
    },
  };
}

function requireHashedOptions({ unique }: { unique: boolean }): void {
  if (!unique) return;
  throw new MongoError('Location16764', 'Currently hashed indexes cannot guarantee uniqueness. Use a regular index.');
}

function requireNoArray(document: Document, { parts }: IndexField): void {
  const length = lengthToArray(document, parts);
  if (length === undefined) return;
  const at = parts.slice(0, length).join('.');
  const message = `hashed indexes do not currently support array values. Found array at path: ${at}`;
  throw new MongoError('Location16766', `Error: ${message}`);
}

/** Key document with directions as 1 and -1, and the kind where it is named. */
function keyOf(fields: IndexField[], key: Document): Document {
  return new Map(
    fields.map(({ path, descending }): [string, Value] => {
      const value = key.get(path);
      return [path, typeof value === 'string' ? value : descending ? -1 : 1];
    }),
  );
}

function parseWildcard(key: Document, options: Document): IndexKind {
  const [[path, direction] = ['', null]] = key;
  if (key.size > 1) throw notSupported('a wildcard index with other fields');
  const field = parseIndexField(path === '$**' ? 'field' : path.slice(0, -'.$**'.length), direction);
  const projection = options.get('wildcardProjection');
  if (projection !== undefined) requireProjection(path, projection);
  return {
    name: 'wildcard',
    key: new Map([[path, field.descending ? -1 : 1]]),
    options,
    fields: [],
    names: [],
    check: () => {},
  };
}

function requireProjection(path: string, projection: Value): void {
  if (!(projection instanceof Map)) {
    throw new MongoError('TypeMismatch', "The field 'wildcardProjection' must be a non-empty object");
  }
  if (path !== '$**') {
    const message = "The field 'wildcardProjection' is only allowed when 'key' is {\"$**\": ±1}";
    throw new MongoError('FailedToParse', message);
  }
  if (projection.size === 0) {
    throw new MongoError('FailedToParse', "The 'wildcardProjection' field can't be an empty object");
  }
  parseProjection(projection, allOf([]));
}

function requireWildcardOptions({ unique, sparse }: { unique: boolean; sparse: boolean }): void {
  const option = unique ? 'unique' : sparse ? 'sparse' : undefined;
  if (option !== undefined) throw cannotCreate(`Index type 'wildcard' does not support the ${option} option`);
}

function parseSphere(key: Document, options: Document): IndexKind {
  const version = toNumber(options.get('2dsphereIndexVersion') ?? 3);
  if (version !== 3) throw notSupported(`the 2dsphereIndexVersion ${version}`);
  const fields = [...key].map(([path, value]) => parseIndexField(path, value === '2dsphere' ? 1 : value));
  const geographic = fields.filter(({ path }) => key.get(path) === '2dsphere');
  return {
    name: '2dsphere',
    key: keyOf(fields, key),
    options: new Map([['2dsphereIndexVersion', 3]]),
    fields: [],
    names: topLevel(geographic),
    check: (document) => {
      for (const { parts } of geographic) requireSpherePoints(document, parts);
    },
  };
}

function parseFlat(key: Document, options: Document): IndexKind {
  const fields = [...key].map(([path, value]) => parseIndexField(path, value === '2d' ? 1 : value));
  const [first, ...others] = fields;
  if (others.some(({ path }) => key.get(path) === '2d')) {
    const code = key.get(first?.path ?? '') === '2d' ? 'Location16800' : 'Location16801';
    throw new MongoError(code, code === 'Location16800' ? "can't have 2 geo fields" : '2d has to be first in index');
  }
  const bounds = { min: boundOf(options, 'min', -180), max: boundOf(options, 'max', 180) };
  if (!(bounds.min < bounds.max)) {
    const region = `[${bounds.min}, ${bounds.max}]`;
    throw new MongoError(
      'InvalidOptions',
      `region for hash must be valid and have positive area, but ${region} was specified`,
    );
  }
  const bits = boundOf(options, 'bits', 26);
  if (!(bits >= 1 && bits <= 32)) {
    throw new MongoError('InvalidOptions', `bits for hash must be > 0 and <= 32, but ${bits} bits were specified`);
  }
  return {
    name: '2d',
    key: keyOf(fields, key),
    options,
    fields: [],
    names: first ? topLevel([first]) : [],
    check: (document) => requireFlatPoints(document, first?.parts ?? [], bounds),
  };
}

function boundOf(options: Document, name: string, fallback: number): number {
  const value = options.get(name);
  if (value === undefined) return fallback;
  if (!isNumeric(value)) throw new MongoError('TypeMismatch', `The field '${name}' must be a number`);
  return toNumber(value);
}
