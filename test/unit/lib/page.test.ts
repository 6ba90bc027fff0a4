import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { decodeCursor, encodeCursor, pageQuery, toPage } from '../../../lib/contract/input.ts';
import { anyCodePoint } from '../../support/code-points.ts';

const key = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 });
const refusal = expect.objectContaining({ type: 'CURSOR_INVALID', code: 400 });

function errorOf(run: () => unknown): unknown {
  try {
    return { returned: run() };
  } catch (error) {
    return error;
  }
}

describe('a cursor', () => {
  test('gives back the key it was made of', () => {
    fc.assert(fc.property(key, (parts) => expect(decodeCursor(encodeCursor(parts), parts.length)).toEqual(parts)));
  });

  test('can be sent in a query string as it is', () => {
    fc.assert(fc.property(key, (parts) => expect(encodeCursor(parts)).toMatch(/^[\w-]+$/)));
  });

  test('of another number of parts is refused', () => {
    fc.assert(
      fc.property(key, fc.integer({ min: 1, max: 4 }), (parts, wanted) => {
        fc.pre(parts.length !== wanted);
        expect(errorOf(() => decodeCursor(encodeCursor(parts), wanted))).toEqual(refusal);
      }),
    );
  });

  test('that is any text at all is refused, or is one that this list could have returned', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: anyCodePoint }), fc.base64String());
    fc.assert(
      fc.property(text, (cursor) => {
        const decoded = errorOf(() => decodeCursor(cursor, 2)) as { returned?: string[] };
        expect(decoded).toEqual(
          decoded.returned ? { returned: decodeCursor(encodeCursor(decoded.returned), 2) } : refusal,
        );
      }),
    );
  });

  test('with any character changed is refused', () => {
    fc.assert(
      fc.property(key, fc.nat(), fc.base64String({ minLength: 4 }), (parts, place, others) => {
        const cursor = encodeCursor(parts);
        const at = place % cursor.length;
        const mangled = cursor.slice(0, at) + others[0] + cursor.slice(at + 1);
        fc.pre(mangled !== cursor);
        expect(errorOf(() => decodeCursor(mangled, parts.length))).toEqual(refusal);
      }),
    );
  });

  test.each([
    ['nothing', ''],
    ['without a checksum', Buffer.from('["a","b"]').toString('base64url')],
    ['not base64', '***'],
    ['not JSON', Buffer.from('hello').toString('base64url')],
    ['no list', Buffer.from('{"0":"a","1":"b","length":2}').toString('base64url')],
    ['a list of other things', Buffer.from('["a",{"$gt":""}]').toString('base64url')],
    ['padded', `${encodeCursor(['a', 'b'])}=`],
    ['followed by more', `${encodeCursor(['a', 'b'])}A`],
    ['another text of the same JSON', Buffer.from('["a", "b"]').toString('base64url')],
  ])('that is %s is refused', (_name, cursor) => {
    expect(errorOf(() => decodeCursor(cursor, 2))).toEqual(refusal);
  });

  test('that is absent stays absent', () => {
    expect(decodeCursor(undefined, 2)).toBeNull();
  });
});

describe('the limit of a list', () => {
  const query = z.strictObject(pageQuery);

  test.each([
    ['1', 1],
    ['20', 20],
    ['100', 100],
    [undefined, 20],
  ])('%j means %j', (given, limit) => {
    expect(query.parse({ limit: given })).toEqual({ limit });
  });

  test.each(['0', '-1', '101', 'abc', '', ' 5', '5.0', '1e1', '0x10', '١', '1000', ['1', '2'], { $gt: 0 }])(
    'cannot be %j',
    (given) => {
      expect(query.safeParse({ limit: given }).success).toBe(false);
    },
  );
});

describe('a page', () => {
  const page = (rows: number[], limit: number) =>
    toPage(
      rows,
      limit,
      (row) => [String(row)],
      (row) => ({ row }),
    );

  test('shows at most its limit and points behind the last row it shows', () => {
    expect(page([1, 2, 3], 2)).toEqual({ data: [{ row: 1 }, { row: 2 }], nextCursor: encodeCursor(['2']) });
  });

  test('that is the last one says so', () => {
    expect(page([1, 2], 2)).toEqual({ data: [{ row: 1 }, { row: 2 }], nextCursor: null });
    expect(page([], 2)).toEqual({ data: [], nextCursor: null });
  });

  test('read one after another shows every row once, whatever is inserted or deleted elsewhere meanwhile', () => {
    const setting = fc.record({
      kept: fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 60 }),
      fleeting: fc.array(fc.uniqueArray(fc.integer({ min: 401, max: 800 }), { maxLength: 10 }), { maxLength: 40 }),
      limit: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(setting, ({ kept, fleeting, limit }) => {
        // Halves keep the two kinds of row apart and let them lie between one another.
        const others = fleeting.map((rows) => rows.map((row) => row - 400.5));
        const seen: number[] = [];
        let cursor: string | undefined;
        for (let visit = 0; visit <= kept.length + 400; visit += 1) {
          const after = Number(decodeCursor(cursor, 1)?.[0] ?? -1);
          const rows = [...kept, ...(others[visit] ?? [])]
            .filter((row) => row > after)
            .sort((one, other) => one - other);
          const { data, nextCursor } = page(rows.slice(0, limit + 1), limit);
          seen.push(...data.map(({ row }) => row));
          if (nextCursor === null) break;
          cursor = nextCursor;
        }
        expect(seen.filter(Number.isInteger)).toEqual(kept.toSorted((one, other) => one - other));
      }),
    );
  });
});
