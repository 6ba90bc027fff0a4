import { describe, expect, test } from '@jest/globals';
import { freeMemory } from '../../../lib/free-memory.ts';

describe('the memory of a chunk', () => {
  test('is free at once where the chunk is all of it', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    freeMemory(chunk);
    expect([chunk.length, chunk.buffer.byteLength]).toEqual([0, 0]);
  });

  test.each([
    ['shares it', Buffer.alloc(64 * 1024, 'x').subarray(1)],
    ['is small', Buffer.alloc(1024, 'x')],
    ['has no bytes', Buffer.alloc(0)],
  ])('is left as it is where the chunk %s', (_why, chunk) => {
    const before = Buffer.from(chunk);
    freeMemory(chunk);
    expect(chunk.equals(before)).toBe(true);
  });
});
