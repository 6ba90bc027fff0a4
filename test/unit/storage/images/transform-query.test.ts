import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import {
  asksForTransform,
  type CanonicalTransformation,
  canonical,
  fits,
  outputFormats,
  rejectLargeSides,
  rejectUnknownBeside,
  type TransformQuery,
  transformQuery,
  variesByAccept,
} from '../../../../services/storage/images/transform-query.ts';

const schema = z
  .looseObject({ v: z.string().optional(), ...transformQuery })
  .superRefine(rejectUnknownBeside('v'))
  .superRefine(rejectLargeSides);

/** The canonical form of a query as a client sends it. */
function canonicalOf(
  sent: Record<string, string>,
  accept?: string,
  sourceType = 'image/jpeg',
): CanonicalTransformation {
  return canonical(schema.parse(sent), accept, sourceType);
}

/** The query that asks for a canonical transformation in full. */
function queryOf({ width, height, fit, quality, format }: CanonicalTransformation): Record<string, string> {
  const [w, h, f] = [width, height, format].map((value) => (value === null ? undefined : String(value)));
  return { fit, q: String(quality), ...(w && { w }), ...(h && { h }), ...(f && { f }) };
}

describe('a query of a transformation', () => {
  test.each([
    [{}],
    [{ w: '1' }],
    [{ w: '4096', h: '4096' }],
    [{ w: '2048', dpr: '2' }],
    [{ w: '1365', dpr: '3' }],
    [{ q: '1' }],
    [{ q: '100' }],
    [{ dpr: '1' }],
    [{ dpr: '1.5' }],
    [{ dpr: '2.25' }],
    [{ dpr: '3.00' }],
    [{ fit: 'outside' }],
    [{ f: 'auto' }],
  ])('can be %j', (sent) => {
    expect(schema.safeParse(sent).success).toBe(true);
  });

  const wrong: [string, unknown[]][] = [
    [
      'w',
      ['', '0', '-1', '4097', '10000', '1.5', '1e3', '0x10', ' 5', '5 ', '05', '١', 'auto', ['1', '2'], { $gt: '' }],
    ],
    ['h', ['', '0', '4097', ['1', '2']]],
    ['fit', ['', 'COVER', 'scale-down', ['cover', 'cover']]],
    ['q', ['', '0', '101', '080', '80.5', ['80', '80']]],
    ['f', ['', 'gif', 'jpg', 'svg', 'WEBP', 'auto,webp', ['webp', 'webp']]],
    ['dpr', ['', '0', '0.5', '1.', '1.555', '3.01', '3.1', '4', '2x', 'Infinity', 'NaN', ['2', '2']]],
  ];

  test.each(wrong.flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
    'cannot have %s=%j',
    (name, value) => {
      const { success, error } = schema.safeParse({ w: '10', [name]: value });
      expect({ success, paths: error?.issues.map(({ path }) => path[0]) }).toEqual({ success: false, paths: [name] });
    },
  );

  test.each([
    [{ w: '2049', dpr: '2' }, ['w']],
    [{ h: '1366', dpr: '3' }, ['h']],
    [{ w: '4096', h: '4096', dpr: '1.01' }, ['w', 'h']],
  ])('cannot have sides over 4096 pixels after dpr: %j', (sent, names) => {
    const issues = schema.safeParse(sent).error?.issues ?? [];
    expect(issues.map(({ path }) => path)).toEqual(names.map((name) => [name]));
  });

  test('cannot have another parameter', () => {
    const issues = schema.safeParse({ f: 'webp', widht: '3', v: '1', constructor: '' }).error?.issues;
    expect(issues).toEqual([expect.objectContaining({ code: 'unrecognized_keys', keys: ['widht', 'constructor'] })]);
  });

  test.each<Record<string, unknown>>([
    { fbclid: 'x' },
    { utm_source: ['a', 'b'], v: '1' },
    { widht: '3' },
    { '': '', toString: '', W: '5' },
  ])('is not what has other parameters alone: %j', (sent) => {
    expect(schema.safeParse(sent).success).toBe(true);
    expect(asksForTransform(sent)).toBe(false);
  });

  test.each([{ w: '5' }, { h: '5' }, { fit: 'fill' }, { q: '5' }, { f: 'auto' }, { dpr: '1' }])(
    'asks for a transformation with %j',
    (sent) => {
      expect(asksForTransform(schema.parse(sent))).toBe(true);
    },
  );

  test('asks for none without a parameter', () => {
    expect(asksForTransform(schema.parse({}))).toBe(false);
    expect(asksForTransform({ v: '5' } as TransformQuery)).toBe(false);
  });
});

describe('the canonical form', () => {
  test('of no parameter has the defaults and the format of the source', () => {
    expect(canonicalOf({})).toEqual({
      width: null,
      height: null,
      fit: 'cover',
      quality: 80,
      format: 'jpeg',
      key: 'r2_0x0_cover_80_jpeg',
    });
  });

  test('of all parameters has them', () => {
    expect(canonicalOf({ w: '100', h: '50', fit: 'contain', q: '60', f: 'webp', dpr: '1.5' })).toEqual({
      width: 150,
      height: 75,
      fit: 'contain',
      quality: 60,
      format: 'webp',
      key: 'r2_150x75_contain_60_webp',
    });
  });

  test.each([
    ['w × dpr', { w: '200', dpr: '2' }, { w: '400' }],
    ['a dpr of decimals', { w: '100', dpr: '1.15' }, { w: '115' }],
    ['dpr=1', { w: '200', dpr: '1.00' }, { w: '200' }],
    ['dpr without a side', { q: '50', dpr: '2' }, { q: '50' }],
    ['the default quality', { w: '200', q: '80' }, { w: '200' }],
    ['the default fit', { w: '200', h: '100', fit: 'cover' }, { w: '200', h: '100' }],
    ['fit with only a width', { w: '200', fit: 'fill' }, { w: '200' }],
    ['fit with only a height', { h: '200', fit: 'contain' }, { h: '200' }],
    ['fit without a side', { q: '50', fit: 'inside' }, { q: '50' }],
    ['the quality of PNG', { w: '200', f: 'png', q: '5' }, { w: '200', f: 'png' }],
    ['the format of the source', { w: '200', f: 'jpeg' }, { w: '200' }],
  ])('is the same with and without %s', (_name, one, other) => {
    expect(canonicalOf(one)).toEqual(canonicalOf(other));
  });

  test.each([
    [{ w: '200' }, { h: '200' }],
    [{ w: '200' }, { w: '201' }],
    [
      { w: '200', h: '100', fit: 'fill' },
      { w: '200', h: '100', fit: 'cover' },
    ],
    [
      { w: '200', q: '79' },
      { w: '200', q: '80' },
    ],
    [
      { w: '200', f: 'webp' },
      { w: '200', f: 'avif' },
    ],
  ])('differs for %j and %j', (one, other) => {
    expect(canonicalOf(one).key).not.toBe(canonicalOf(other).key);
  });

  test.each([
    ['image/jpeg', 'jpeg'],
    ['image/png', 'png'],
    ['image/webp', 'webp'],
    ['image/avif', 'avif'],
    ['image/gif', 'webp'],
    ['application/octet-stream', null],
    ['constructor', null],
  ])('of a source of the type %s has the format %j', (sourceType, format) => {
    expect(canonicalOf({ w: '5' }, 'image/avif', sourceType).format).toBe(format);
  });

  const chrome = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';
  test.each([
    [chrome, 'image/jpeg', 'avif'],
    ['image/webp,*/*', 'image/png', 'webp'],
    ['IMAGE/AVIF', 'image/png', 'avif'],
    ['image/avif;q=0, image/webp', 'image/jpeg', 'webp'],
    ['image/avif ; q=0.000 , image/webp;q=0', 'image/jpeg', 'jpeg'],
    ['image/avif;q=0.001', 'image/jpeg', 'avif'],
    ['image/*', 'image/jpeg', 'jpeg'],
    ['*/*', 'image/png', 'png'],
    ['', 'image/png', 'png'],
    [undefined, 'image/png', 'png'],
    ['text/html', 'image/gif', 'webp'],
    // What may be animated stays so.
    [chrome, 'image/gif', 'webp'],
    [chrome, 'image/webp', 'webp'],
    ['image/avif', 'image/gif', 'avif'],
  ])('with f=auto, Accept %j and a source of %s has the format %s', (accept, sourceType, format) => {
    expect(canonicalOf({ f: 'auto' }, accept, sourceType).format).toBe(format);
  });

  test('depends on Accept only with f=auto', () => {
    for (const f of outputFormats) {
      expect(variesByAccept(schema.parse({ f }))).toBe(false);
      expect(canonicalOf({ f }, chrome)).toEqual(canonicalOf({ f }));
    }
    expect(variesByAccept(schema.parse({ w: '5' }))).toBe(false);
    expect(canonicalOf({ w: '5' }, chrome)).toEqual(canonicalOf({ w: '5' }));
    expect(variesByAccept(schema.parse({ f: 'auto' }))).toBe(true);
  });
});

const hundredths = fc.integer({ min: 100, max: 300 });
const sent = fc
  .record(
    {
      w: fc.integer({ min: 1, max: 1365 }).map(String),
      h: fc.integer({ min: 1, max: 1365 }).map(String),
      fit: fc.constantFrom(...fits),
      q: fc.integer({ min: 1, max: 100 }).map(String),
      f: fc.constantFrom(...outputFormats, 'auto'),
      dpr: hundredths.map((value) => String(value / 100)),
    },
    { requiredKeys: [] },
  )
  .map((query) => JSON.parse(JSON.stringify(query)) as Record<string, string>);
const sourceType = fc.constantFrom('image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif', 'text/plain');
const accept = fc.constantFrom(undefined, '*/*', 'image/webp', 'image/avif,image/webp', 'image/avif;q=0,image/webp');

describe('every query', () => {
  test('has a canonical form that is unchanged when it is asked for', () => {
    fc.assert(
      fc.property(sent, accept, sourceType, (query, header, type) => {
        const form = canonicalOf(query, header, type);
        expect(canonicalOf(queryOf(form), header, type)).toEqual(form);
      }),
    );
  });

  test('has the key of another exactly when the transformations are equal', () => {
    fc.assert(
      fc.property(sent, sent, accept, sourceType, (one, other, header, type) => {
        const [{ key, ...form }, { key: otherKey, ...otherForm }] = [one, other].map((query) =>
          canonicalOf(query, header, type),
        ) as [CanonicalTransformation, CanonicalTransformation];
        expect(key === otherKey).toBe(JSON.stringify(form) === JSON.stringify(otherForm));
      }),
    );
  });

  test('has the key of the query whose sides are multiplied and whose defaults are written', () => {
    fc.assert(
      fc.property(sent, accept, sourceType, ({ dpr = '1', w, h, ...others }, header, type) => {
        const pixels = (side: string) =>
          String(Math.round(Number(((Number(side) * Number(dpr) * 100) / 100).toFixed(6))));
        const written = { q: '80', ...others, ...(w && { w: pixels(w) }), ...(h && { h: pixels(h) }) };
        const shortest = { ...others, dpr, ...(w && { w }), ...(h && { h }) };
        expect(canonicalOf(shortest, header, type).key).toBe(canonicalOf(written, header, type).key);
      }),
    );
  });

  test('has a key that can be part of the name of a stored file', () => {
    fc.assert(
      fc.property(sent, accept, sourceType, (query, header, type) => {
        expect(canonicalOf(query, header, type).key).toMatch(/^[a-z0-9_]{1,80}$/);
      }),
    );
  });
});
