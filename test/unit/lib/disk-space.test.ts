import { describe, expect, test } from '@jest/globals';
import { createDiskRoom } from '../../../lib/data/disk-space.ts';
import { mebibyte } from '../../../lib/format/bytes.ts';

/** A disk with this many bytes free, and how often it was asked. */
function newDisk(free: number) {
  const disk = { free, reads: 0 };
  const read = () => {
    disk.reads += 1;
    return Promise.resolve(disk.free);
  };
  return { disk, room: createDiskRoom('/any', 10 * mebibyte, read) };
}

describe('the room of a disk', () => {
  test('is given until the reserve is reached, to writes at once too', async () => {
    const { disk, room } = newDisk(15 * mebibyte);
    const takes = Array.from({ length: 8 }, async () => {
      await room.take(mebibyte);
      disk.free -= mebibyte;
    });
    const outcomes = await Promise.allSettled(takes);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refusals).toEqual(Array(3).fill(expect.objectContaining({ type: 'STORE_FULL' })));
    expect(disk.free).toBe(10 * mebibyte);
    await expect(room.take(1)).rejects.toMatchObject({ type: 'STORE_FULL' });
    disk.free += mebibyte;
    await room.take(disk.free - 10 * mebibyte);
  });

  test('is not asked for each write while there is plenty', async () => {
    const { disk, room } = newDisk(1000 * mebibyte);
    for (let count = 0; count < 100; count += 1) await room.take(mebibyte);
    expect(disk.reads).toBeLessThan(10);
  });
});
