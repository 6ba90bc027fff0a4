import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { collectGarbage } from '../../../lib/tuning/memory.ts';

test('what nobody holds any more is collected', async () => {
  const dropped = new WeakRef(new Array(1000).fill({}));
  // A reference that was just read or made keeps its target until the end of the turn.
  await nextTurn();
  collectGarbage();
  await nextTurn();
  expect(dropped.deref()).toBeUndefined();
});
