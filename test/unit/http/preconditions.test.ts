import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { evaluate, parseRange } from '../../../lib/contract/preconditions.ts';

const lastModified = new Date('2026-03-02T09:30:00.500Z');
const same = 'Mon, 02 Mar 2026 09:30:00 GMT';
const earlier = 'Mon, 02 Mar 2026 09:29:59 GMT';
const later = 'Mon, 02 Mar 2026 09:30:01 GMT';
const content = { etag: 'a', lastModified, size: 500 };
const statusOf = (headers: Record<string, string>, method = 'GET', about: Partial<typeof content> = content) =>
  evaluate(method, headers, { size: 500, ...about }).status;

describe('preconditions, in the order of RFC 9110 section 13.2.2', () => {
  test.each<[Record<string, string>, number]>([
    [{}, 200],
    [{ 'if-match': '"a"' }, 200],
    [{ 'if-match': '"b", "a"' }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': '"b"' }, 412],
    [{ 'if-match': 'W/"a"' }, 412],
    [{ 'if-match': 'a' }, 412],
    [{ 'if-unmodified-since': same }, 200],
    [{ 'if-unmodified-since': earlier }, 412],
    [{ 'if-match': '"a"', 'if-unmodified-since': earlier }, 200],
    [{ 'if-none-match': '"a"' }, 304],
    [{ 'if-none-match': 'W/"a"' }, 304],
    [{ 'if-none-match': '"b" ,"a"' }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"b"' }, 200],
    [{ 'if-modified-since': same }, 304],
    [{ 'if-modified-since': later }, 304],
    [{ 'if-modified-since': earlier }, 200],
    [{ 'if-none-match': '"b"', 'if-modified-since': same }, 200],
    [{ 'if-match': '"b"', 'if-none-match': '"a"' }, 412],
    [{ 'if-modified-since': 'yesterday' }, 200],
    [{ 'if-unmodified-since': '2026-03-01' }, 200],
    [{ 'if-modified-since': 'Monday, 02-Mar-26 09:30:00 GMT' }, 304],
    [{ 'if-modified-since': 'Mon Mar  2 09:30:00 2026' }, 304],
  ])('%j is %d', (headers, status) => {
    expect(statusOf(headers)).toBe(status);
    expect(statusOf(headers, 'HEAD')).toBe(status);
  });

  test('count for content without validators only where they name any', () => {
    const bare = { size: 500 };
    expect(evaluate('GET', { 'if-match': '*' }, bare).status).toBe(200);
    expect(evaluate('GET', { 'if-match': '"a"' }, bare).status).toBe(412);
    expect(evaluate('GET', { 'if-none-match': '"a"' }, bare).status).toBe(200);
    expect(evaluate('GET', { 'if-modified-since': same }, bare).status).toBe(200);
  });

  test.each<[Record<string, string>, number]>([
    [{ 'if-range': '"a"' }, 206],
    [{ 'if-range': '"b"' }, 200],
    [{ 'if-range': 'W/"a"' }, 200],
    [{ 'if-range': '"b", "a"' }, 200],
    [{ 'if-range': same }, 206],
    [{ 'if-range': later }, 200],
    [{ 'if-range': earlier }, 200],
    [{ 'if-match': '"b"' }, 412],
    [{ 'if-none-match': '"a"' }, 304],
  ])('a range with %j is %d', (headers, status) => {
    expect(statusOf({ range: 'bytes=0-9', ...headers })).toBe(status);
  });

  test('a HEAD has no range, and neither has content of unknown size', () => {
    expect(statusOf({ range: 'bytes=0-9' }, 'HEAD')).toBe(200);
    expect(evaluate('GET', { range: 'bytes=0-9' }, { size: null }).status).toBe(200);
  });
});

describe('a range', () => {
  test.each<[string, ReturnType<typeof parseRange>]>([
    ['bytes=0-0', { first: 0, last: 0 }],
    ['bytes=499-', { first: 499, last: 499 }],
    ['bytes=-500', { first: 0, last: 499 }],
    ['bytes=-1000', { first: 0, last: 499 }],
    ['BYTES=1-2', { first: 1, last: 2 }],
    ['bytes=500-', 'unsatisfiable'],
    ['bytes=500-600', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-2', null],
    ['bytes=0-1,3-4', null],
    ['bytes=', null],
    ['bytes=-', null],
    ['items=0-1', null],
    ['bytes=0x1-2', null],
    [`bytes=0-${'9'.repeat(20)}`, { first: 0, last: 499 }],
    [`bytes=-${'9'.repeat(20)}`, { first: 0, last: 499 }],
    [`bytes=${'9'.repeat(20)}-`, 'unsatisfiable'],
    [`bytes=${'9'.repeat(20)}-${'9'.repeat(21)}`, 'unsatisfiable'],
    [`bytes=${'9'.repeat(400)}-`, 'unsatisfiable'],
    [`bytes=${'9'.repeat(20)}-${'9'.repeat(19)}8`, null],
    [`bytes=${'0'.repeat(30)}1-2`, { first: 1, last: 2 }],
    ['bytes=--5', null],
    ['bytes=-5-', null],
    ['bytes=+5-9', null],
    ['bytes=1.5-', null],
    ['bytes=5-abc', null],
    ['bytes=٣-', null],
    ['bytes= 1-2 ', { first: 1, last: 2 }],
    ['bytes=,1-2', { first: 1, last: 2 }],
    ['bytes=1-2 , ,', { first: 1, last: 2 }],
    ['bytes=,', null],
    ['bytes=600-,0-1', null],
    ['bytes=600-,x', null],
    [`bytes=600-, -0, ${'9'.repeat(30)}-`, 'unsatisfiable'],
  ])('%s', (text, range) => {
    expect(parseRange(text, 500)).toEqual(range);
  });

  test('of empty content cannot be satisfied', () => {
    expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable');
    expect(parseRange('bytes=-5', 0)).toBe('unsatisfiable');
  });

  test('lies within the content, and holds what was asked for', () => {
    const place = fc.oneof(fc.nat({ max: 2000 }), fc.bigInt({ min: 0n, max: 10n ** 40n }));
    fc.assert(
      fc.property(place, place, fc.integer({ min: 1, max: 1000 }), (first, last, size) => {
        const range = parseRange(`bytes=${first}-${last}`, size);
        if (last < first) expect(range).toBeNull();
        else if (first >= size) expect(range).toBe('unsatisfiable');
        else expect(range).toEqual({ first: Number(first), last: Math.min(Number(last), size - 1) });
      }),
    );
  });
});
