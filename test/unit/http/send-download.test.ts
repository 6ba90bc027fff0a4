import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { columnsIn, csvWriter, ndjsonWriter, type ReadRows, type Row, writeList } from '../../../http/send-download.ts';
import { parseCsv } from '../../support/csv.ts';

const pagesOf = (rows: readonly Row[], sizes: readonly number[]): Row[][] => {
  const rest = [...rows];
  return [...sizes.map((size) => rest.splice(0, size)), rest];
};

/** A list of pages, and the cursors that were read. */
function listOf(pages: readonly Row[][]) {
  const cursors: (string | null)[] = [];
  const read: ReadRows = (cursor) => {
    cursors.push(cursor);
    const index = Number(cursor ?? 0);
    const nextCursor = index + 1 < pages.length ? String(index + 1) : null;
    return Promise.resolve({ data: pages[index]!, nextCursor });
  };
  return { read, cursors };
}

async function write(pages: readonly Row[][], writer = ndjsonWriter, maxRows?: number): Promise<string> {
  const { read } = listOf(pages);
  return textOf(writeList(await read(null), read, writer, maxRows));
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

const rows = fc.array(fc.record({ id: fc.nat(), name: fc.string() }), { maxLength: 30 });
const sizes = fc.array(fc.nat({ max: 6 }), { maxLength: 8 });

const writer = csvWriter([['id'], ['name']]);

describe('the file of a list', () => {
  test('has every row once, in the order of the list, however its pages are cut', async () => {
    await fc.assert(
      fc.asyncProperty(rows, sizes, async (list, cuts) => {
        const pages = pagesOf(list, cuts);
        const lines = (await write(pages)).split('\n').slice(0, -1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(list);
        const [head, ...records] = parseCsv(await write(pages, writer));
        expect(head).toEqual(['id', 'name']);
        expect(records.map(([id]) => Number(id))).toEqual(list.map(({ id }) => id));
      }),
    );
  });

  test('ends after the maximum number of rows, and says so if the list has more', async () => {
    await fc.assert(
      fc.asyncProperty(rows, sizes, fc.integer({ min: 1, max: 31 }), async (list, cuts, maxRows) => {
        const pages = pagesOf(list, cuts);
        const lines = (await write(pages, ndjsonWriter, maxRows)).split('\n').slice(0, -1);
        const isCut = lines.at(-1) === JSON.stringify({ truncated: true, maxRows });
        const shown = lines.slice(0, isCut ? -1 : undefined).map((line) => JSON.parse(line));
        expect(shown).toEqual(list.slice(0, maxRows));
        if (list.length > maxRows) expect(isCut).toBe(true);
        if (list.length < maxRows) expect(isCut).toBe(false);
      }),
    );
  });

  test('says in a last record of CSV that rows are left out', async () => {
    const list = [
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ];
    expect(parseCsv(await write([list], writer, 1))).toEqual([
      ['id', 'name'],
      ['1', 'a'],
      ['Only the first 1 rows are in this file.', ''],
    ]);
  });

  test('reads a page only when the client has taken the ones before it', async () => {
    const pages = Array.from({ length: 50 }, (_, id) => [{ id }]);
    const { read, cursors } = listOf(pages);
    const stream = Readable.from(writeList(await read(null), read, ndjsonWriter), { highWaterMark: 1 });
    const chunks = stream[Symbol.asyncIterator]();
    for (let taken = 1; taken <= 10; taken += 1) {
      await chunks.next();
      await new Promise((resolve) => setImmediate(resolve));
      expect(cursors.length).toBeLessThanOrEqual(taken + 2);
    }
    stream.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(cursors.length).toBeLessThanOrEqual(12);
  });

  test('has the columns of the schema, and those of nested objects by their path', () => {
    const open = { type: 'object', properties: { orders: { type: 'integer' }, tickets: { type: 'integer' } } };
    const customer = {
      properties: { id: { type: 'string' }, emails: { type: 'array' }, open, payload: { type: 'object' } },
    };
    const page = { properties: { data: { items: { $ref: '#/$defs/Customer' } }, nextCursor: {} } };
    const schema = { $ref: '#/$defs/CustomerPage', $defs: { CustomerPage: page, Customer: customer } };
    const columns = columnsIn(schema);
    expect(columns.map((path) => path.join('.'))).toEqual(['id', 'emails', 'open.orders', 'open.tickets', 'payload']);
    const row = { id: 'C-1', emails: ['a@b'], open: { orders: 2 }, payload: { total: 1 } };
    expect(parseCsv(csvWriter(columns).rows([row, {}]))).toEqual([
      ['C-1', '["a@b"]', '2', '', '{"total":1}'],
      ['', '', '', '', ''],
    ]);
  });
});
