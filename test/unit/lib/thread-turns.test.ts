import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { nextTick, yieldIfSliceOver } from '../../../lib/concurrency/time-slice.ts';

test('each of several pieces of work that may go on at once gets a turn of its own, in their order', async () => {
  const turns: number[] = [];
  let isOver = false;
  let turn = 0;
  const counting = (async () => {
    for (; !isOver; turn += 1) await nextTurn();
  })();
  await Promise.all([1, 2, 3].map(() => nextTick().then(() => turns.push(turn))));
  isOver = true;
  await counting;
  expect(new Set(turns).size).toBe(3);
  expect(turns).toEqual(turns.toSorted((one, other) => one - other));
});

test('a slice that has just begun goes on without a turn in between', async () => {
  const startedAt = performance.now();
  let turns = 0;
  setImmediate(() => {
    turns += 1;
  });
  expect(await yieldIfSliceOver(startedAt)).toBe(startedAt);
  expect(turns).toBe(0);
  expect(await yieldIfSliceOver(startedAt - 1000)).toBeGreaterThan(startedAt);
  expect(turns).toBe(1);
});
