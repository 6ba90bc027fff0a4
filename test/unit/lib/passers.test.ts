import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Passers } from '../../../lib/passers.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('globalThis.gc') as (options: { type: 'minor' | 'major' }) => void;

test('it has what a Set has, whatever comes and goes', () => {
  const members = Array.from({ length: 8 }, (_none, number) => ({ number }));
  const step = fc.tuple(fc.constantFrom('add', 'delete', 'clear', 'add', 'delete', 'add'), fc.nat(members.length - 1));
  fc.assert(
    fc.property(fc.array(step as fc.Arbitrary<['add' | 'delete' | 'clear', number]>), (steps) => {
      const [passers, model] = [new Passers<object>(), new Set<object>()];
      for (const [change, place] of steps) {
        const member = members[place] as object;
        if (change === 'clear') [passers, model].forEach((set) => void set.clear());
        else if (change === 'add') [passers, model].forEach((set) => void set.add(member));
        else expect(passers.delete(member)).toBe(model.delete(member));
        expect(passers.has(member)).toBe(model.has(member));
        expect(passers.size).toBe(model.size);
        expect(new Set(passers)).toEqual(model);
      }
    }),
  );
});

test('members may leave and come while they are gone through, and may be in several', () => {
  const members = [{ number: 1 }, { number: 2 }, { number: 3 }];
  const [one, other] = [new Passers<{ number: number }>(), new Passers<{ number: number }>()];
  for (const member of members) one.add(member);
  for (const member of members.toReversed()) other.add(member);
  const seen = [];
  for (const member of one) {
    one.delete(member);
    seen.push(member.number);
  }
  expect(seen).toEqual([1, 2, 3]);
  expect([one.size, other.size]).toEqual([0, 3]);
});

test('what has left is collected with the young, though some are always there', () => {
  const passers = new Passers<object>();
  const flight: object[] = [];
  collect({ type: 'major' });
  const before = getHeapStatistics().used_heap_size;
  // Each is there for 32 others, and now and then the young are collected: half a gigabyte in all.
  for (let count = 0; count < 20_000; count += 1) {
    const member = { content: new Array(3_000).fill(count) };
    flight.push(member);
    passers.add(member);
    if (flight.length > 32) passers.delete(flight.shift() as object);
    if (count % 100 === 0) collect({ type: 'minor' });
  }
  collect({ type: 'minor' });
  expect(getHeapStatistics().used_heap_size - before).toBeLessThan(5_000_000);
});
