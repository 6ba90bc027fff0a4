import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { pageOf, pageQuery, pathId } from '../../../lib/contract/input.ts';
import { integerIn, oneOf, toJsonSchema } from '../../../lib/contract/json-schema.ts';

describe('the schemas of the API document', () => {
  test('call a whole number in a query an integer with bounds, while it is parsed from text', () => {
    const count = z.string().regex(/^\d+$/).meta(integerIn(1, 9)).transform(Number);
    expect(toJsonSchema(count.optional(), 'input')).toEqual({ type: 'integer', minimum: 1, maximum: 9 });
    expect(count.parse('7')).toBe(7);
    expect(toJsonSchema(z.strictObject(pageQuery), 'input')).toMatchObject({
      properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
    });
  });

  test('have portable patterns, also where a text has several, and none that has no portable form', () => {
    const text = z.string().regex(/^[^\p{Cc}]*$/u);
    const plain = String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`;
    expect(toJsonSchema(text, 'input')).toEqual({ type: 'string', pattern: plain });
    expect(toJsonSchema(text.regex(/^\S*$/), 'input')).toEqual({
      type: 'string',
      allOf: [{ type: 'string', pattern: plain }],
    });
    expect(toJsonSchema(z.string().regex(/^(?!a)/), 'input')).toEqual({ type: 'string' });
  });

  test('share what has a name, and name its page', () => {
    const bird = z.strictObject({ name: z.string() }).meta({ id: 'Bird' });
    expect(toJsonSchema(pageOf(bird), 'output')).toMatchObject({
      $ref: '#/$defs/BirdPage',
      $defs: { BirdPage: { properties: { data: { items: { $ref: '#/$defs/Bird' } } } }, Bird: { type: 'object' } },
    });
    expect(toJsonSchema(pageOf(z.strictObject({})), 'output')).not.toHaveProperty('$defs');
  });

  test('say that exactly one of some fields is sent', () => {
    const person = z.strictObject({ a: z.string().optional(), b: z.string().optional() }).meta(oneOf('a', 'b'));
    expect(toJsonSchema(person, 'input')).toMatchObject({ oneOf: [{ required: ['a'] }, { required: ['b'] }] });
  });

  test('say what an id in a path looks like, while any text is accepted', () => {
    expect(toJsonSchema(pathId('app'), 'input')).toEqual({ type: 'string', pattern: expect.stringMatching(/^\^app_/) });
    expect(pathId('app').parse('anything')).toBe('anything');
  });
});
