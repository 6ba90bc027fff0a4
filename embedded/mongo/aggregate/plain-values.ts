import { Binary, BSONRegExp, Decimal128, Double } from 'bson';
import type { Document, Maybe, Value } from '../bson/value.ts';
import { badValue, notSupported } from '../errors.ts';
import { compileRegex } from '../query/regex.ts';
import { operandFor } from './operands.ts';

// mingo computes with plain objects and JavaScript's numbers. What would lose digits on the way is refused.

/**
 * A document as the plain object mingo reads. Fields that expressions read, `computed` of them or all, turn into what
 * mingo computes with; the others keep their exact types. Throws CommandNotSupported for a number that cannot.
 */
export function toPlainDocument(document: Document, computed?: ReadonlySet<string>): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of document) {
    const number = !computed || computed.has(name) ? toNumber : toItself;
    plain[requireSafeName(name)] = toPlain(value, (inner) => number(inner, name));
  }
  return plain;
}

/** The value of a stage as mingo reads it: like that of a document, with regular expressions ready to run. */
export function toPlainStage(value: Value): unknown {
  if (value instanceof BSONRegExp) return compileRegex(value.pattern, value.options);
  if (Array.isArray(value)) return value.map(toPlainStage);
  if (!(value instanceof Map)) return toPlain(value, (number) => toNumber(number, 'the stage'));
  return Object.fromEntries(
    [...value].map(([name, inner]) => [
      requireSafeName(name),
      name === '$literal' ? toPlain(inner, (number) => number) : toPlainStage(operandFor(name, inner)),
    ]),
  );
}

type NumberConverter = (number: bigint | Double | Decimal128) => unknown;

function toPlain(value: Value, convert: NumberConverter): unknown {
  if (typeof value === 'bigint' || value instanceof Double || value instanceof Decimal128) return convert(value);
  if (Array.isArray(value)) return value.map((element) => toPlain(element, convert));
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([name, inner]) => [requireSafeName(name), toPlain(inner, convert)]));
}

function toItself(number: bigint | Double | Decimal128): unknown {
  return number;
}

function toNumber(value: bigint | Double | Decimal128, field: string): number {
  if (value instanceof Double) return value.value;
  if (value instanceof Decimal128) throw notSupported(`computing with the Decimal128 in ${field}`);
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw notSupported(`computing with the 64-bit number in ${field}, which is beyond 2^53`);
}

/** Setting this name on an object sets its prototype instead. */
function requireSafeName(name: string): string {
  if (name === '__proto__') throw notSupported('a field __proto__ in a stage that computes');
  return name;
}

/** What mingo computed, as a value; undefined where it left nothing. Throws BadValue for what BSON cannot hold. */
export function fromPlain(plain: unknown): Maybe {
  if (typeof plain !== 'object' || plain === null) return fromPrimitive(plain);
  if (Array.isArray(plain)) return plain.map((element) => fromPlain(element) ?? null);
  if (plain instanceof Date) {
    if (Number.isNaN(plain.getTime())) throw badValue('An expression gave a date that is not valid');
    return plain;
  }
  if (plain instanceof RegExp) return new BSONRegExp(plain.source, plain.flags.replace(/[^ims]/g, ''));
  if (plain instanceof Uint8Array) return new Binary(plain);
  if ('_bsontype' in plain) return plain as Value;
  return fromPlainDocument(plain);
}

export function fromPlainDocument(plain: object): Document {
  const document: Document = new Map();
  for (const [name, inner] of Object.entries(plain)) {
    const value = fromPlain(inner);
    if (value !== undefined) document.set(name, value);
  }
  return document;
}

function fromPrimitive(plain: unknown): Maybe {
  switch (typeof plain) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return plain;
  }
  return plain === null ? null : undefined;
}
