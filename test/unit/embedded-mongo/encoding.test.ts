import { describe, expect, test } from '@jest/globals';
import { BSONRegExp, deserialize } from 'bson';
import fc from 'fast-check';
import { decodeDocument, decodePartly } from '../../../embedded/mongo/bson/decode.ts';
import { encodeDocument } from '../../../embedded/mongo/bson/encode.ts';
import { validateDocument } from '../../../embedded/mongo/bson/layout.ts';
import type { Document } from '../../../embedded/mongo/bson/value.ts';
import { bodyOf, storedForm } from '../../../embedded/mongo/store/stored-form.ts';
import { anyValue } from './values.ts';

const document: fc.Arbitrary<Document> = fc
  .array(
    fc.tuple(
      fc.string().map((name) => name.replaceAll('\0', '')),
      anyValue,
    ),
    { maxLength: 6 },
  )
  .map((fields) => new Map(fields));

describe('a document', () => {
  test('that is written, read and written again has the same bytes', () => {
    fc.assert(
      fc.property(document, (fields) => {
        const bytes = encodeDocument(fields);
        validateDocument(bytes);
        expect(encodeDocument(decodeDocument(bytes)).equals(bytes)).toBe(true);
      }),
    );
  });

  test('gives back its names though they are much alike', () => {
    const alike = fc.array(fc.constantFrom('a', 'b', 'c', 'é')).map((letters) => letters.join(''));
    fc.assert(
      fc.property(fc.uniqueArray(alike, { maxLength: 50 }), (names) => {
        const bytes = encodeDocument(new Map(names.map((name) => [name, true])));
        expect([...decodeDocument(bytes).keys()]).toEqual(names);
      }),
    );
  });

  test('of which some fields are read and the others carried is written with the same bytes', () => {
    fc.assert(
      fc.property(document, fc.array(fc.nat({ max: 5 })), (fields, places) => {
        const bytes = encodeDocument(fields);
        const names = [...fields.keys()].filter((_, place) => places.includes(place));
        const partly = decodePartly(bytes, new Set(names));
        expect(names.map((name) => partly.get(name))).toEqual(names.map((name) => decodeDocument(bytes).get(name)));
        expect(encodeDocument(partly).equals(bytes)).toBe(true);
      }),
    );
  });

  test('that is written is what other programs read', () => {
    const bytes = encodeDocument(new Map<string, never>([['__proto__', 1 as never]]));
    expect(Object.entries(deserialize(bytes))).toEqual([['__proto__', 1]]);
    fc.assert(fc.property(document, (fields) => void deserialize(encodeDocument(fields))));
  });

  test('with an unknown option of a regular expression is refused', () => {
    const bytes = encodeDocument(new Map([['a', new BSONRegExp('b', 'i')]]));
    bytes[bytes.length - 3] = 'q'.charCodeAt(0);
    expect(isRefused(bytes)).toBe(true);
  });

  test('of which a part is cut off or changed is refused or read, and nothing else happens', () => {
    fc.assert(
      fc.property(document, fc.nat(), fc.integer({ min: 0, max: 255 }), (fields, place, byte) => {
        const bytes = encodeDocument(fields);
        bytes[place % bytes.length] = byte;
        expect(isRefused(bytes) || decodeDocument(bytes) instanceof Map).toBe(true);
        expect(isRefused(bytes.subarray(0, place % bytes.length))).toBe(true);
      }),
    );
  });
});

function isRefused(bytes: Buffer): boolean {
  try {
    validateDocument(bytes);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ codeName: expect.stringMatching(/^(BadValue|Overflow)$/) });
    return true;
  }
}

describe('the stored form', () => {
  test('gives back what it was made of', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const body = Buffer.from(bytes);
        expect(bodyOf(storedForm(body)).equals(body)).toBe(true);
      }),
    );
  });

  test('tells of every bit that changed, and of a missing end', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.nat(), fc.integer({ min: 0, max: 7 }), (bytes, place, bit) => {
        const stored = storedForm(Buffer.from(bytes));
        expect(() => bodyOf(stored.subarray(0, place % stored.length))).toThrow('not what was written');
        const at = place % stored.length;
        stored[at] = (stored[at] ?? 0) ^ (1 << bit);
        expect(() => bodyOf(stored)).toThrow('not what was written');
      }),
    );
  });
});
