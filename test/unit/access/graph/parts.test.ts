import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AssignmentTable, SortedIds } from '../../../../services/access/graph/assignment-table.ts';
import {
  areEqual,
  bitsOf,
  hasBit,
  placesOf,
  RoleTable,
  unionOf,
} from '../../../../services/access/graph/role-table.ts';

describe('sorted ids', () => {
  test('are in pages what a sorted set is, whatever comes and goes', () => {
    const id = fc.integer({ min: 0, max: 3000 }).map((number) => `usr_${number}`);
    const acts = fc.array(fc.tuple(id, fc.integer({ min: 0, max: 3 })), { minLength: 0, maxLength: 4000, size: 'max' });
    const law = fc.property(acts, id, fc.integer({ min: 1, max: 1500 }), (all, after, limit) => {
      const ids = new SortedIds();
      const set = new Set<string>();
      for (const [one, chance] of all) {
        if (chance === 0) ids.delete(one);
        else ids.add(one);
        if (chance === 0) set.delete(one);
        else set.add(one);
      }
      const sorted = [...set].sort();
      expect(ids.page(null, 10_000)).toEqual(sorted);
      expect(ids.page(after, limit)).toEqual(sorted.filter((one) => one > after).slice(0, limit));
      expect(ids.page(null, limit)).toEqual(sorted.slice(0, limit));
      const reversed = sorted.toReversed();
      expect(ids.pageBefore(after, limit)).toEqual(reversed.filter((one) => one < after).slice(0, limit));
      expect(ids.pageBefore(null, limit)).toEqual(reversed.slice(0, limit));
    });
    fc.assert(law, { numRuns: 30 });
  });

  test.each([
    ['in order', (number: number) => number],
    ['in reverse', (number: number) => 9999 - number],
    ['crossed', (number: number) => (number * 7919) % 10_000],
  ])('that come %s are all there, and all gone when they are deleted', (_, orderOf) => {
    const ids = new SortedIds();
    const all = Array.from({ length: 10_000 }, (__, number) => `usr_${10_000 + orderOf(number)}`);
    for (const id of all) ids.add(id);
    expect(ids.page(null, 20_000)).toEqual(all.toSorted());
    for (const id of all) ids.delete(id);
    expect(ids.page(null, 1)).toEqual([]);
    ids.add('usr_1');
    expect(ids.page(null, 1)).toEqual(['usr_1']);
  });
});

test('a table of assignments lists the subjects that have some, and no others', () => {
  const table = new AssignmentTable();
  const [owner] = new RoleTable().all();
  const stamp = { revision: 1, at: 1 };
  const store = (id: string, subject: string) =>
    table.store({ id, subject, roleId: 'role_owner', expiresAt: null }, owner!, stamp);
  store('asg_1', 'usr_b');
  store('asg_2', 'usr_b');
  store('asg_3', 'usr_a');
  table.remove('asg_1');
  expect(table.subjects(null, 9)).toEqual(['usr_a', 'usr_b']);
  expect(table.subjects(null, 9, true)).toEqual(['usr_b', 'usr_a']);
  store('asg_3', 'usr_c');
  expect(table.subjects(null, 9)).toEqual(['usr_b', 'usr_c']);
  table.removeSubject('usr_b');
  expect(table.subjects(null, 9)).toEqual(['usr_c']);
  table.removeRole(owner!);
  expect(table.subjects(null, 9)).toEqual([]);
  expect(owner!.assigned).toBe(0);
});

describe('bits', () => {
  const anyPlaces = fc.uniqueArray(fc.integer({ min: 0, max: 200 }));

  test('have the places they were made of', () => {
    const law = fc.property(anyPlaces, (places) => {
      const bits = bitsOf(places);
      expect(placesOf(bits)).toEqual(places.toSorted((left, right) => left - right));
      const all = Array.from({ length: 300 }, (_, place) => place);
      expect(all.filter((place) => hasBit(bits, place))).toEqual(all.filter((place) => places.includes(place)));
    });
    fc.assert(law, { numRuns: 200 });
  });

  test('are united and compared as sets are, and stay what they were', () => {
    const law = fc.property(anyPlaces, anyPlaces, anyPlaces, (first, second, third) => {
      const bits = [first, second, third].map(bitsOf);
      const union = bitsOf([...first, ...second, ...third]);
      expect(areEqual(unionOf(bits[0]!, bits.slice(1)), union)).toBe(true);
      expect(areEqual(bits[0]!, bits[1]!)).toBe(first.toSorted().join() === second.toSorted().join());
      expect(bits.map(placesOf)).toEqual([first, second, third].map((places) => places.toSorted((a, b) => a - b)));
    });
    fc.assert(law, { numRuns: 200 });
  });

  test('are equal whatever their length', () => {
    expect(areEqual(new Uint32Array(3), new Uint32Array(0))).toBe(true);
    expect(placesOf(bitsOf([]))).toEqual([]);
    expect(bitsOf([])).toHaveLength(0);
    expect(bitsOf([31])).toHaveLength(1);
    expect(bitsOf([32])).toHaveLength(2);
  });
});
