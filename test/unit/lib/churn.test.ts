import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ArraySet, BoxedMap } from '../../../lib/concurrency/churn.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('globalThis.gc') as (options: { type: 'minor' | 'major' }) => void;

test('a churn set equals a Set after any changes', () => {
  const members = Array.from({ length: 8 }, (_none, number) => ({ number }));
  const step = fc.tuple(fc.constantFrom('add', 'delete', 'clear', 'add', 'delete', 'add'), fc.nat(members.length - 1));
  fc.assert(
    fc.property(fc.array(step as fc.Arbitrary<['add' | 'delete' | 'clear', number]>), (steps) => {
      const [churn, model] = [new ArraySet<object>(), new Set<object>()];
      for (const [change, place] of steps) {
        const member = members[place] as object;
        if (change === 'clear') [churn, model].forEach((set) => void set.clear());
        else if (change === 'add') [churn, model].forEach((set) => void set.add(member));
        else expect(churn.delete(member)).toBe(model.delete(member));
        expect(churn.has(member)).toBe(model.has(member));
        expect(churn.size).toBe(model.size);
        expect(new Set(churn)).toEqual(model);
      }
    }),
  );
});

test('members may be deleted during an iteration, and may be in several sets', () => {
  const members = [{ number: 1 }, { number: 2 }, { number: 3 }];
  const [one, other] = [new ArraySet<{ number: number }>(), new ArraySet<{ number: number }>()];
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

test('a churn map equals a Map after any changes', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const step = fc.tuple(fc.constantFrom<'set' | 'delete'>('set', 'set', 'delete'), key, fc.nat());
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const [churn, model] = [new BoxedMap<string, number>(), new Map<string, number>()];
      for (const [change, name, value] of steps) {
        if (change === 'set') [churn, model].forEach((map) => void map.set(name, value));
        else expect(churn.delete(name)).toBe(model.delete(name));
        expect([churn.size, churn.has(name), churn.get(name)]).toEqual([model.size, model.has(name), model.get(name)]);
        expect([...churn.values()]).toEqual([...model.values()]);
        const seen: [string, number][] = [];
        churn.forEach((one, at) => void seen.push([at, one]));
        expect(seen).toEqual([...model]);
      }
    }),
  );
});

test('entries may be deleted during forEach', () => {
  const map = new BoxedMap<string, number>();
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
      const churn = new ArraySet<Member>();
      return {
        add: (_name: string, one: Member) => churn.add(one),
        remove: (_name: string, one: Member) => churn.delete(one),
      };
    },
  ],
  [
    'a map',
    () => {
      const churn = new BoxedMap<string, Member>();
      return {
        add: (name: string, one: Member) => churn.set(name, one),
        remove: (name: string) => churn.delete(name),
      };
    },
  ],
])('what %s no longer has is collected by scavenges, though it is never empty', (_what, create) => {
  const { add, remove } = create();
  const flight: [string, Member][] = [];
  collect({ type: 'major' });
  const before = getHeapStatistics().used_heap_size;
  // 33 members at a time, with a scavenge every hundred changes: half a gigabyte in all.
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
