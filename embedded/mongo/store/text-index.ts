import { type Document, isNumeric, type Maybe, type Value } from '../bson/value.ts';
import { MongoError, notSupported } from '../errors.ts';
import { toNumber } from '../query/operators.ts';
import { cannotCreate, type IndexField, type IndexKind, lengthToArray, parseIndexField } from './index-field.ts';

/** Languages of text indexes of version 3, by name and code. */
const languages = new Set([
  ...['none', 'da', 'danish', 'nl', 'dutch', 'en', 'english', 'fi', 'finnish', 'fr', 'french', 'de', 'german'],
  ...['hu', 'hungarian', 'it', 'italian', 'nb', 'norwegian', 'pt', 'portuguese', 'ro', 'romanian', 'ru', 'russian'],
  ...['es', 'spanish', 'sv', 'swedish', 'tr', 'turkish'],
]);

/** Key of a text index as stored: `_fts` and `_ftsx` stand for the fields in `weights`. */
const storedFields = { kind: '_fts', weight: '_ftsx' };

/** Parses a text index. It serves no query; documents that MongoDB refuses to index are rejected. */
export function parseTextIndex(key: Document, options: Document): IndexKind {
  const { others, stored, named } = textKey(key);
  const weights = weightsOf(options.get('weights'), named);
  const language = options.get('default_language') ?? 'english';
  const override = options.get('language_override') ?? 'language';
  if (!isLanguage(language)) throw cannotCreate('default_language is not valid');
  if (typeof override !== 'string' || !/^[^$.][^.]*$/.test(override))
    throw cannotCreate('language_override is not valid');
  const version = toNumber(options.get('textIndexVersion') ?? 3);
  if (version !== 3) throw notSupported(`the textIndexVersion ${version}`);
  const texts = [...weights.keys()].map((path) => path.split('.'));
  return {
    name: 'text',
    key: stored,
    options: new Map<string, Value>([
      ['weights', weights],
      ['default_language', language],
      ['language_override', override],
      ['textIndexVersion', 3],
    ]),
    fields: [],
    names: [override, ...[...texts, ...others.map(({ parts }) => parts)].map(([name = '']) => name)],
    check: (document) => {
      for (const field of others) requireNoArray(document, field);
      for (const parts of texts) requireLanguages(document, parts, override);
    },
  };
}

type TextKey = { others: IndexField[]; stored: Document; named: string[] };

/** Splits a key into text fields and other fields, and builds the stored key. Throws CannotCreateIndex. */
function textKey(key: Document): TextKey {
  const found: TextKey = { others: [], stored: new Map(), named: [] };
  let last: string | undefined;
  for (const [path, value] of key) {
    if (value === 'text') {
      if (found.stored.has(storedFields.kind) && last !== 'text') {
        throw cannotCreate("'text' fields in index must all be adjacent");
      }
      found.stored.set(storedFields.kind, 'text').set(storedFields.weight, 1);
      if (path !== storedFields.kind) found.named.push(textPath(path));
    } else if (path !== storedFields.weight) {
      const field = parseIndexField(path, value);
      if (Math.abs(toNumber(value)) !== 1) {
        throw cannotCreate('expected value 1 or -1 for non-text key in compound index');
      }
      found.others.push(field);
      found.stored.set(path, field.descending ? -1 : 1);
    }
    last = value === 'text' || path === storedFields.weight ? 'text' : 'other';
  }
  return found;
}

function textPath(path: string): string {
  if (path === '$**') throw notSupported('a text index on "$**"');
  return parseIndexField(path, 1).path;
}

/** Weights of all text fields, ordered by name. */
function weightsOf(given: Maybe, named: string[]): Document {
  if (given === '$**') throw notSupported('a text index on "$**"');
  if (given !== undefined && !(given instanceof Map)) {
    throw cannotCreate("text index option 'weights' must be an object");
  }
  const weights: Document = new Map(named.map((path) => [path, 1]));
  for (const [path, weight] of given ?? []) {
    if (!isNumeric(weight)) throw cannotCreate('weight for text index needs numeric type');
    const number = Math.trunc(toNumber(weight));
    if (!(number > 0 && number < 100_000)) {
      throw cannotCreate(`text index weight must be in the exclusive interval (0,100000) but found: ${number}`);
    }
    weights.set(textPath(path), number);
  }
  if (weights.size === 0) throw cannotCreate('A text index needs at least one field');
  return new Map([...weights].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function isLanguage(value: Value): value is string {
  return typeof value === 'string' && languages.has(value.toLowerCase());
}

function requireNoArray(document: Document, { path, parts }: IndexField): void {
  if (lengthToArray(document, parts) === undefined) return;
  throw new MongoError('CannotBuildIndexKeys', `Field '${path}' of text index contains an array in document`);
}

/** Validates the languages that the documents on the way to a text may name. */
function requireLanguages(value: Maybe, parts: readonly string[], override: string): void {
  if (Array.isArray(value)) for (const element of value) requireLanguages(element, parts, override);
  if (!(value instanceof Map)) return;
  const language = value.get(override);
  if (language !== undefined && typeof language !== 'string') {
    throw new MongoError('Location17261', 'found language override field in document with non-string type');
  }
  if (language !== undefined && !isLanguage(language)) {
    throw new MongoError('Location17262', `language override unsupported: ${language}`);
  }
  const [name, ...rest] = parts;
  if (name !== undefined) requireLanguages(value.get(name), rest, override);
}
