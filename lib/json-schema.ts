import { z } from 'zod';
import { portablePattern } from './portable-pattern.ts';

/** JSON Schema 2020-12, as in OpenAPI 3.1. */
export type JsonSchema = Record<string, unknown>;

/**
 * The JSON Schema of the input or output of a schema, for the API document. A schema with `.meta({ id: 'Bucket' })` is
 * in `$defs` by that name, which the document shares among all operations.
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...document } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override });
  return document;
}

/**
 * For `.meta` of a text in a query that is parsed as an integer: the document declares a number with these bounds,
 * while the schema still parses text.
 */
export function integerIn(minimum: number, maximum: number): { type: 'integer'; minimum: number; maximum: number } {
  return { type: 'integer', minimum, maximum };
}

/** For `.meta` of an object with exactly one of these fields; the handler itself rejects none and several. */
export function oneOf(...names: string[]): { oneOf: { required: string[] }[] } {
  return { oneOf: names.map((name) => ({ required: [name] })) };
}

const instantPattern = '^[0-9-]{10}T[0-9:.]+Z$';

function override({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (isNumber(jsonSchema)) delete jsonSchema.pattern;
  // The format implies the long pattern, except that the instant is in UTC.
  if (jsonSchema.format === 'date-time') jsonSchema.pattern = instantPattern;
  // Several patterns of one text are in `allOf`. Each repeats the type: generators of clients make types of each.
  const patterns = jsonSchema.allOf ?? [];
  for (const part of [jsonSchema, ...patterns]) {
    const pattern = typeof part.pattern === 'string' ? portablePattern(part.pattern) : null;
    if (pattern === null) delete part.pattern;
    else part.pattern = pattern;
  }
  if (jsonSchema.type !== 'string' || patterns.length === 0) return;
  jsonSchema.allOf = patterns
    .filter(({ pattern }) => pattern !== undefined)
    .map((part) => ({ type: 'string', ...part }));
  if (jsonSchema.allOf.length === 0) delete jsonSchema.allOf;
}

const isNumber = ({ type }: { type?: unknown }): boolean => type === 'integer' || type === 'number';
