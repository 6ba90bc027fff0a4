import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { inputMessage } from '../../../lib/input-messages.ts';

const messageOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: inputMessage }).error?.issues[0]?.message;

describe('what is wrong with an input', () => {
  test.each([
    [z.string(), undefined, 'It is missing: send a text.'],
    [z.strictObject({}), undefined, 'It is missing: send an object.'],
    [z.string(), 7, 'Send a text.'],
    [z.number(), '7', 'Send a number.'],
    [z.int(), 7.5, 'Send a whole number.'],
    [z.boolean(), null, 'Send true or false.'],
    [z.array(z.string()), {}, 'Send a list.'],
    [z.record(z.string(), z.unknown()), [], 'Send an object.'],
    [z.string().min(2), 'a', 'Send at least 2 characters.'],
    [z.string().max(2), 'abc', 'Send at most 2 characters.'],
    [z.array(z.string()).min(1), [], 'Send at least 1 item.'],
    [z.number().max(5), 6, 'Send at most 5.'],
    [z.enum(['a', 'b']), 'c', 'Send "a" or "b".'],
    [z.literal('x'), 'y', 'Send "x".'],
    [z.string().regex(/^a/), 'b', 'Send a text of the form that the API document describes.'],
  ])('is a sentence by which it can be corrected (%#)', (schema, value, message) => {
    expect(messageOf(schema, value)).toBe(message);
  });

  test("is the schema's own sentence where it has one", () => {
    expect(messageOf(z.guid('Send a UUID.'), 'x')).toBe('Send a UUID.');
    expect(messageOf(z.string('Send one value.'), ['x'])).toBe('Send one value.');
  });
});
