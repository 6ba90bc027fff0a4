import { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, Double, ObjectId, Timestamp } from 'bson';
import type { Maybe } from './value.ts';

/** Formats a value in MongoDB shell syntax, for messages. */
export function formatValue(value: Maybe): string {
  if (value === undefined) return 'undefined';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Map) {
    const fields = [...value].map(([name, inner]) => `${name}: ${formatValue(inner)}`);
    return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}';
  }
  if (Array.isArray(value)) return value.length > 0 ? `[ ${value.map(formatValue).join(', ')} ]` : '[]';
  return formatObject(value);
}

function formatObject(value: object): string {
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof Double) return String(value.value);
  if (value instanceof Decimal128) return `Decimal128('${value.toString()}')`;
  if (value instanceof Binary) return `BinData(${value.sub_type}, ${Buffer.from(value.value()).toString('hex')})`;
  if (value instanceof BSONRegExp) return `/${value.pattern}/${value.options}`;
  if (value instanceof BSONSymbol) return JSON.stringify(value.value);
  if (value instanceof Timestamp) return `Timestamp(${value.t}, ${value.i})`;
  if (value instanceof Code) return `Code(${JSON.stringify(value.code)})`;
  return `${value.constructor.name}()`;
}
