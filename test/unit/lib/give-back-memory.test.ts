import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { giveBackMemory, giveBackMemoryWhenIdle } from '../../../lib/give-back-memory.ts';
import { until } from '../../support/until.ts';

test('what nobody holds any more is collected', async () => {
  const dropped = new WeakRef(new Array(1000).fill({}));
  // A reference that was just read or made keeps its target until the end of the turn.
  await nextTurn();
  giveBackMemory();
  await nextTurn();
  expect(dropped.deref()).toBeUndefined();
});

test('a thread that is busy is left alone until it is idle', async () => {
  let forced = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { flags } = (entry as unknown as { detail: { flags: number } }).detail;
      if (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) forced += 1;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  const lookMilliseconds = 20;
  giveBackMemoryWhenIdle(lookMilliseconds);
  const startedAt = performance.now();
  while (performance.now() - startedAt < 10 * lookMilliseconds) await nextTurn();
  expect(forced).toBe(0);
  await until(() => forced > 0);
  observer.disconnect();
});
