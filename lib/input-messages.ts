import type { z } from 'zod';
import { type ErrorDetail, unknownFields } from './errors.ts';

const kinds: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  date: 'a date',
};

/** The unit of a size limit, by the type of the value. */
const units: Record<string, string> = { string: 'character', array: 'item', set: 'item' };

/**
 * The message of a validation error, which names the violated rule. For `safeParse(value, { error })`: used when a
 * schema has no message; undefined leaves the message to zod.
 */
export function inputMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeMessage(kinds[issue.expected] ?? issue.expected, issue.input);
    case 'too_small':
      return `Must ${verbOf(issue.origin)} at least ${amount(issue.minimum, issue.origin)}.`;
    case 'too_big':
      return `Must ${verbOf(issue.origin)} at most ${amount(issue.maximum, issue.origin)}.`;
    case 'invalid_value':
      return `Must be ${oneOf(issue.values)}.`;
    case 'invalid_format':
      return 'Invalid format; see /openapi.json.';
    default:
      return undefined;
  }
}

/** The error details of one part of a request, such as `body`. */
export function detailsOf(part: string, issue: z.core.$ZodIssue): ErrorDetail[] {
  const path = [part, ...issue.path.map(String)].join('.');
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return unknownFields(path, issue.keys);
}

function typeMessage(kind: string, input: unknown): string {
  return input === undefined ? `Required; expected ${kind}.` : `Must be ${kind}.`;
}

function verbOf(origin: string): 'have' | 'be' {
  return units[origin] === 'item' ? 'have' : 'be';
}

function oneOf(values: readonly unknown[]): string {
  const [first] = values;
  return values.length === 1 ? JSON.stringify(first) : `one of: ${values.map(String).join(', ')}`;
}

function amount(bound: number | bigint, origin: string): string {
  const unit = units[origin];
  if (unit === undefined) return `${bound}`;
  return `${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`;
}
