import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Passers, PassingMap } from '../../../lib/passers.ts';

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

test('a map of them has what a Map has', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const step = fc.tuple(fc.constantFrom<'set' | 'delete'>('set', 'set', 'delete'), key, fc.nat());
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const [passing, model] = [new PassingMap<string, number>(), new Map<string, number>()];
      for (const [change, name, value] of steps) {
        if (change === 'set') [passing, model].forEach((map) => void map.set(name, value));
        else expect(passing.delete(name)).toBe(model.delete(name));
        expect([passing.size, passing.has(name), passing.get(name)]).toEqual([
          model.size,
          model.has(name),
          model.get(name),
        ]);
        expect([...passing.values()]).toEqual([...model.values()]);
        const seen: [string, number][] = [];
        passing.forEach((one, at) => void seen.push([at, one]));
        expect(seen).toEqual([...model]);
      }
    }),
  );
});

test('its values may leave while they are gone through', () => {
  const map = new PassingMap<string, number>();
  for (const number of [1, 2, 3]) map.set(`key ${number}`, number);
  const seen: number[] = [];
  map.forEach((value, key) => {
    map.delete(key);
    map.delete('key 3');
    seen.push(value);
  });
  expect(seen).toEqual([1, 2]);
  expect(map.size).toBe(0);
});

type Member = { content: number[] };

test.each([
  [
    'a set',
    () => {
      const passers = new Passers<Member>();
      return {
        add: (_name: string, one: Member) => passers.add(one),
        remove: (_name: string, one: Member) => passers.delete(one),
      };
    },
  ],
  [
    'a map',
    () => {
      const passing = new PassingMap<string, Member>();
      return {
        add: (name: string, one: Member) => passing.set(name, one),
        remove: (name: string) => passing.delete(name),
      };
    },
  ],
])('what has left %s is collected with the young, though some are always there', (_what, create) => {
  const { add, remove } = create();
  const flight: [string, Member][] = [];
  collect({ type: 'major' });
  const before = getHeapStatistics().used_heap_size;
  // Each is there for 32 others, and now and then the young are collected: half a gigabyte in all.
  for (let count = 0; count < 20_000; count += 1) {
    const entry: [string, Member] = [`member ${count}`, { content: new Array(3_000).fill(count) }];
    flight.push(entry);
    add(...entry);
    if (flight.length > 32) remove(...(flight.shift() as [string, Member]));
    if (count % 100 === 0) collect({ type: 'minor' });
  }
  collect({ type: 'minor' });
  expect(getHeapStatistics().used_heap_size - before).toBeLessThan(5_000_000);
});
