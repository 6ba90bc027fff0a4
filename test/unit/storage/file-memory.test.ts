import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createFileMemory, type ObjectStore } from '../../../services/storage/store/object-store.ts';

const never = new AbortController().signal;

/** A store of files of one byte, repeated, which tells what it was asked for. */
function storeOf(files: Record<string, string>) {
  const opened: string[] = [];
  const store = {
    open(name: string, range: { first: number; last: number } | null) {
      opened.push(range ? `${name} ${range.first}-${range.last}` : name);
      const text = files[name];
      if (text === undefined) return Promise.resolve(null);
      return Promise.resolve(Readable.from([Buffer.from(range ? text.slice(range.first, range.last + 1) : text)]));
    },
  } as unknown as ObjectStore;
  const memory = createFileMemory({ maxTotal: 10, maxFile: 5 });
  async function read(name: string, size: number, range: [number, number] | null = null): Promise<string | null> {
    const bounds = range && { first: range[0], last: range[1] };
    const source = await memory.open(store, { name, size }, bounds, never);
    return source && Buffer.concat((await source.toArray()) as Buffer[]).toString();
  }
  return { opened, read };
}

describe('the memory of small files', () => {
  test('opens a file once, also for its ranges', async () => {
    const { opened, read } = storeOf({ a: 'abcde' });
    expect(await read('a', 5, [1, 2])).toBe('bc');
    expect(await read('a', 5)).toBe('abcde');
    expect(await read('a', 5, [4, 4])).toBe('e');
    expect(opened).toEqual(['a']);
  });

  test('passes larger files through, and keeps nothing of one that is missing or ended early', async () => {
    const { opened, read } = storeOf({ large: 'abcdef', cut: 'ab' });
    expect([await read('large', 6, [0, 1]), await read('large', 6)]).toEqual(['ab', 'abcdef']);
    expect([await read('none', 3), await read('none', 3)]).toEqual([null, null]);
    await read('cut', 3);
    await read('cut', 3);
    expect(opened).toEqual(['large 0-1', 'large', 'none', 'none', 'cut', 'cut']);
  });

  test('forgets what was not read for longest', async () => {
    const { opened, read } = storeOf({ a: 'aaaa', b: 'bbbb', c: 'cccc' });
    for (const name of ['a', 'b', 'a', 'c', 'a', 'c', 'b']) await read(name, 4);
    expect(opened).toEqual(['a', 'b', 'c', 'b']);
  });
});
