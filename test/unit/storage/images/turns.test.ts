import { describe, expect, test } from '@jest/globals';
import { createTurns } from '../../../../services/storage/images/turns.ts';

const options = { max: 1, maxHeavy: 1, maxWaiting: 6, maxWaitingOfOne: 4, maxWaitMilliseconds: 60_000 };
const busy = expect.objectContaining({ reason: 'busy' });

describe('turns', () => {
  test('go to the owners one after the other, each in the order of its callers', async () => {
    const turns = createTurns(options);
    const order: string[] = [];
    const end = await turns.take('a');
    const work = async (name: string) => {
      const done = await turns.take(name.charAt(0));
      order.push(name);
      done();
    };
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(work);
    end();
    await Promise.all(all);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('are refused to an owner with too many waiting, to all when there are too many, and when they close', async () => {
    const turns = createTurns(options);
    const end = await turns.take('a');
    const waiting = ['a', 'a', 'a', 'a'].map((owner) => turns.take(owner));
    await expect(turns.take('a')).rejects.toEqual(busy);
    waiting.push(turns.take('b'), turns.take('c'));
    await expect(turns.take('d')).rejects.toEqual(busy);
    end();
    const [first, ...others] = waiting;
    await first;
    turns.close();
    for (const other of others) await expect(other).rejects.toEqual(busy);
    await expect(turns.take('d')).rejects.toEqual(busy);
  });

  test('are given past heavy callers, of which only so many have one at the same time', async () => {
    const turns = createTurns({ ...options, max: 3 });
    const order: string[] = [];
    const take = async (name: string) => {
      const end = await turns.take(name.charAt(0), name.endsWith('!'));
      order.push(name);
      return end;
    };
    const first = await take('a1!');
    const [second, third] = [take('a2!'), take('b3!')];
    const light = [await take('a4'), await take('b5')];
    const last = take('a6');
    light[0]!();
    (await last)();
    expect(order).toEqual(['a1!', 'a4', 'b5', 'a6']);
    first();
    // The owner of the last turn comes after the other.
    (await third)();
    (await second)();
    light[1]!();
    expect(order).toEqual(['a1!', 'a4', 'b5', 'a6', 'b3!', 'a2!']);
  });

  test('go past a caller that waited too long', async () => {
    const turns = createTurns({ ...options, maxWaitMilliseconds: 20 });
    const end = await turns.take('a');
    await expect(turns.take('b')).rejects.toEqual(busy);
    end();
    (await turns.take('b'))();
    (await turns.take('c'))();
  });
});
