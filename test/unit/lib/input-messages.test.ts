import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { inputMessage } from '../../../lib/contract/input.ts';

const messageOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: inputMessage }).error?.issues[0]?.message;

describe('what is wrong with an input', () => {
  test.each([
    [z.string(), undefined, 'Required (string).'],
    [z.strictObject({}), undefined, 'Required (object).'],
    [z.string(), 7, 'Must be a string.'],
    [z.number(), '7', 'Must be a number.'],
    [z.int(), 7.5, 'Must be a whole number.'],
    [z.boolean(), null, 'Must be true or false.'],
    [z.array(z.string()), {}, 'Must be an array.'],
    [z.record(z.string(), z.unknown()), [], 'Must be an object.'],
    [z.string().min(2), 'a', 'Must be at least 2 characters.'],
    [z.string().max(2), 'abc', 'Must be at most 2 characters.'],
    [z.array(z.string()).min(1), [], 'Must have at least 1 item.'],
    [z.number().max(5), 6, 'Must be at most 5.'],
    [z.enum(['a', 'b']), 'c', 'Must be one of: a, b.'],
    [z.enum(['a', 'b']), undefined, 'Required (one of: a, b).'],
    [z.literal('x'), 'y', 'Must be "x".'],
    [z.string().regex(/^a/), 'b', 'Invalid format; see /openapi.json.'],
  ])('is a sentence by which it can be corrected (%#)', (schema, value, message) => {
    expect(messageOf(schema, value)).toBe(message);
  });

  test("is the schema's own sentence where it has one", () => {
    expect(messageOf(z.guid('Must be a UUID.'), 'x')).toBe('Must be a UUID.');
    expect(messageOf(z.string('Must be one value.'), ['x'])).toBe('Must be one value.');
  });
});
