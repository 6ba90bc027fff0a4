import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseInstant } from '../../../services/context/story/dates.ts';

test.each([
  ['2026-02-28', '2026-02-28T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-04-30T23:59:59Z', '2026-04-30T23:59:59.000Z'],
  ['2026-12-31 24:00', '2027-01-01T00:00:00.000Z'],
  ['2026-03-01T00:30:00+0200', '2026-02-28T22:30:00.000Z'],
  [1_772_323_200, '2026-03-01T00:00:00.000Z'],
  [1_772_323_200_000, '2026-03-01T00:00:00.000Z'],
  [4_102_444_800, '2100-01-01T00:00:00.000Z'],
  [1e12, '2001-09-09T01:46:40.000Z'],
])('%j is %s', (value, instant) => {
  expect(parseInstant(value)).toBe(instant);
});

test.each([
  ...[
    '2026-02-29',
    '2026-02-30',
    '2026-02-31',
    '2026-04-31',
    '2026-11-31T10:00:00Z',
    '2100-02-29',
    '2026-06-31T00:00+02:00',
  ],
  ...['2026-00-10', '2026-13-01', '2026-01-00', '2026-01-32', '2026-03-01T25:00', '2026-03-01T10:61'],
  ...[
    253_402_300_800, 253_402_300_799, 253_402_300_799_999, 9_999_999_999, 99_999_999_999, 999_999_999_999, 1e15, 1e18,
  ],
  ...['9999-12-31', '9999-12-31T23:59:59Z', '2999-12-31', '3000-01-01', '0001-01-01T00:00:00Z', '1900-01-01'],
  ...[0, -1, -62_135_596_800, Number.NaN, Number.POSITIVE_INFINITY, null, true, {}],
])('%j is not known', (value) => {
  expect(parseInstant(value)).toBeUndefined();
});

test('a day of a calendar is itself, or does not exist', () => {
  const part = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
  fc.assert(
    fc.property(fc.integer({ min: 1971, max: 2199 }), part(13), part(32), (year, month, day) => {
      const text = `${year}-${month}-${day}`;
      const instant = parseInstant(text);
      expect([undefined, text]).toContain(instant?.slice(0, 10));
      const exists = new Date(Date.UTC(year, Number(month) - 1, Number(day))).toISOString().startsWith(text);
      expect(instant !== undefined).toBe(exists);
    }),
  );
});

test('an instant is read from seconds and from milliseconds alike', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1_000_000_000, max: 4_102_444_800 }), (seconds) => {
      expect(parseInstant(seconds)).toBe(parseInstant(seconds * 1000));
    }),
  );
});
