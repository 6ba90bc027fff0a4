import { stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { withTimeout } from '../../../services/access/store/access-store.ts';

const never = new Promise<never>(() => undefined);

function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('a result that is waited for', () => {
  test('is given, and so is a failure', async () => {
    await expect(withTimeout(50, Promise.resolve('an answer'))).resolves.toBe('an answer');
    await expect(withTimeout(50, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });

  test('is UNAVAILABLE after the time, and not before', async () => {
    const began = performance.now();
    await expect(withTimeout(50, never)).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    expect(performance.now() - began).toBeGreaterThanOrEqual(45);
  });

  test('is in time when it came while the process did nothing else for longer', async () => {
    // The end of a turn: timers come next, and then what came meanwhile.
    await nextTurn();
    const result = withTimeout(50, stat(import.meta.filename));
    block(200);
    await expect(result).resolves.toMatchObject({ size: expect.any(Number) });
  });
});
