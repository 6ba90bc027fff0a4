import { expect, test } from '@jest/globals';
import { createKeyedMutex } from '../../../lib/concurrency/keyed-mutex.ts';

test('work of one name is done in order, whatever becomes of what is before it, and beside that of other names', async () => {
  const inTurn = createKeyedMutex();
  const done: number[] = [];
  const never = inTurn('a', () => new Promise<void>(() => undefined));
  void never;
  const work = [1, 2, 3, 4, 5].map((index) =>
    inTurn('b', async () => {
      await Promise.resolve();
      done.push(index);
      if (index === 2) throw new Error('no');
    }),
  );
  const settled = await Promise.allSettled(work);
  expect(done).toEqual([1, 2, 3, 4, 5]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  expect(inTurn.isBusy('a')).toBe(true);
  expect(inTurn.isBusy('b')).toBe(false);
});

test('work of several names waits for all of them, and what comes after it for either', async () => {
  const inTurn = createKeyedMutex();
  const ends = new Map<string, () => void>();
  const done: string[] = [];
  const work = (label: string, names: string | string[]) =>
    inTurn(names, async () => {
      await new Promise<void>((resolve) => ends.set(label, resolve));
      done.push(label);
    });
  const all = [work('a', 'a'), work('b', 'b'), work('both', ['a', 'b']), work('after', 'b')];
  expect([...ends.keys()]).toEqual(['a', 'b']);
  for (const label of ['a', 'b', 'both', 'after']) {
    while (!ends.has(label)) await Promise.resolve();
    ends.get(label)?.();
  }
  await Promise.all(all);
  expect(done).toEqual(['a', 'b', 'both', 'after']);
});
