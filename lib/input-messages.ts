import type { z } from 'zod';
import { type ErrorDetail, unknownFields } from './errors.ts';

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  date: 'a date',
};

/** What is counted in these. */
const units: Record<string, string> = { string: 'character', array: 'item', set: 'item' };

/**
 * The error message of an invalid value, from which the sender can correct it. For `safeParse(value, { error })`: used
 * when a schema has no message of its own; undefined leaves the message to zod.
 */
export function inputMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeMessage(kinds[issue.expected] ?? issue.expected, issue.input);
    case 'too_small':
      return `Send at least ${amount(issue.minimum, issue.origin)}.`;
    case 'too_big':
      return `Send at most ${amount(issue.maximum, issue.origin)}.`;
    case 'invalid_value':
      return `Send ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}.`;
    case 'invalid_format':
      return 'Send a text of the form that the API document describes.';
    default:
      return undefined;
  }
}

/** The errors in one part of a request, such as `body`. */
export function detailsOf(part: string, issue: z.core.$ZodIssue): ErrorDetail[] {
  const path = [part, ...issue.path.map(String)].join('.');
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return unknownFields(path, issue.keys);
}

function typeMessage(kind: string, input: unknown): string {
  return input === undefined ? `It is missing: send ${kind}.` : `Send ${kind}.`;
}

function amount(bound: number | bigint, origin: string): string {
  const unit = units[origin];
  if (unit === undefined) return `${bound}`;
  return `${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`;
}
