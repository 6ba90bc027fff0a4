import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, hashJson } from '../../../lib/data/canonical-json.ts';

/** The same value with the keys of every object in another order of insertion. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reordered(part)]),
  );
}

describe('canonical JSON', () => {
  test('is JSON of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value))),
      ),
    );
  });

  test('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reordered(value))).toBe(canonicalJson(value));
        expect(hashJson(reordered(value))).toBe(hashJson(value));
      }),
    );
  });

  test('of different values differs', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (one, other) => {
        const areEqual = JSON.stringify(reordered(reordered(one))) === JSON.stringify(reordered(reordered(other)));
        fc.pre(!areEqual);
        expect(canonicalJson(one) === canonicalJson(other)).toBe(
          canonicalJson(reordered(one)) === canonicalJson(other),
        );
      }),
    );
  });

  test('keeps the order of lists, nested keys, and keys that JavaScript reserves', () => {
    const value = JSON.parse('{"b":[2,1,{"z":1,"a":2}],"__proto__":{"y":1,"x":2},"10":0,"9":0,"a":null}');
    expect(JSON.parse(canonicalJson(value))).toEqual(value);
    expect(canonicalJson(value)).toContain('"__proto__":{"x":2,"y":1}');
    expect(canonicalJson(value)).toContain('"b":[2,1,{"a":2,"z":1}]');
  });

  test('writes dates as instants', () => {
    expect(canonicalJson({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
  });

  test('hashes to 64 hex characters, the same on every machine', () => {
    expect(hashJson({ b: 1, a: [true, null] })).toBe(hashJson(JSON.parse('{"a":[true,null],"b":1}')));
    expect(hashJson({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  });
});
