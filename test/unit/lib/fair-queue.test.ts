import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFairQueue } from '../../../lib/concurrency/fair-queue.ts';

/** A queue of items that are their own path, a letter for each group, and a number. */
function queueOf(...names: string[]) {
  const queue = createFairQueue<string>();
  for (const name of names) queue.add(pathOf(name), name);
  return queue;
}

const pathOf = (name: string): string[] => [...name.replace(/\d+$/, '')];

function drain({ next }: ReturnType<typeof queueOf>): string[] {
  const served: string[] = [];
  for (let item = next(); item !== undefined; item = next()) served.push(item);
  return served;
}

describe('a fair queue', () => {
  test('lets groups take turns at every depth, and keeps the order of one path', () => {
    expect(drain(queueOf('ax1', 'ax2', 'ay1', 'bx1', 'bx2', 'ax3'))).toEqual([
      'ax1',
      'bx1',
      'ay1',
      'bx2',
      'ax2',
      'ax3',
    ]);
  });

  test('serves one group alone, which then comes behind the others', () => {
    const queue = queueOf('ax1', 'ax2', 'bx1');
    expect([queue.next(['a']), queue.next(['c']), queue.keys()]).toEqual(['ax1', undefined, ['b', 'a']]);
  });

  test('passes over groups whose first item is not accepted, and leaves their turns as they are', () => {
    const queue = queueOf('a1', 'b1', 'c1', 'b2');
    expect(queue.next([], (item) => item === 'b1')).toBe('b1');
    expect(queue.next([], (item) => item === 'b1')).toBeUndefined();
    expect(drain(queue)).toEqual(['a1', 'c1', 'b2']);
  });

  test('removes the last item of the largest group', () => {
    const queue = queueOf('ax1', 'ay1', 'ay2', 'bx1', 'bx2');
    expect([queue.largestSize([]), queue.largestSize(['a']), queue.largestSize(['c'])]).toEqual([3, 2, 0]);
    expect([queue.removeLast([]), queue.removeLast(['b']), queue.removeLast(['c'])]).toEqual(['ay2', 'bx2', undefined]);
    expect([queue.size(), queue.size(['a']), queue.size(['a', 'y'])]).toEqual([3, 2, 1]);
  });

  test('removes one item, and all', () => {
    const queue = queueOf('a1', 'a2', 'b1');
    queue.remove(['a'], 'a1');
    queue.remove(['a'], 'a1');
    queue.remove(['c'], 'c1');
    queue.remove(['b'], 'b1');
    expect([queue.size(), queue.keys()]).toEqual([1, ['a']]);
    expect([queue.clear(), queue.size(), queue.next()]).toEqual([['a2'], 0, undefined]);
  });

  test('serves every item once, in the order of its path, and every waiting group within a round', () => {
    const path = fc.constantFrom('ax', 'ay', 'az', 'bx', 'by', 'cx');
    const law = fc.property(fc.array(path, { maxLength: 40 }), (paths) => {
      const served = drain(queueOf(...paths.map((name, place) => `${name}${place}`)));
      const placesOf = (name: string) => paths.flatMap((one, place) => (one === name ? [place] : []));
      for (const name of new Set(paths)) {
        const numbers = served.filter((item) => item.startsWith(name)).map((item) => Number(item.slice(2)));
        expect(numbers).toEqual(placesOf(name));
      }
      const groups = new Set(paths.map((name) => name.charAt(0)));
      expect(new Set(served.slice(0, groups.size).map((item) => item.charAt(0)))).toEqual(groups);
    });
    fc.assert(law);
  });
});
