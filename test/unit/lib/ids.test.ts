import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { setClock } from '../../../lib/data/clock.ts';
import { declareIdPrefix, idPattern, newId } from '../../../lib/data/ids.ts';

let restoreClock = () => {};
afterEach(() => restoreClock());

function at(milliseconds: number): string {
  restoreClock();
  restoreClock = setClock(() => new Date(milliseconds));
  return newId('evt');
}

describe('an id', () => {
  test('is its prefix, an underscore and 26 characters of Crockford base32', () => {
    expect(newId('conv')).toMatch(/^conv_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  test('matches the pattern of its own prefix and of no other', () => {
    const id = newId('org');
    expect(id).toMatch(idPattern('org'));
    expect(id).not.toMatch(idPattern('app'));
    expect(`${id}x`).not.toMatch(idPattern('org'));
    expect(id.toUpperCase()).not.toMatch(idPattern('org'));
    expect(`${id}\n`).not.toMatch(idPattern('org'));
  });

  test('of a later millisecond sorts after one of an earlier', () => {
    const instant = fc.integer({ min: 0, max: Date.UTC(3000, 0) });
    fc.assert(
      fc.property(instant, fc.integer({ min: 1, max: 1e12 }), (earlier, distance) => {
        expect(at(earlier) < at(earlier + distance)).toBe(true);
      }),
    );
  });

  test('does not come twice in a hundred thousand of one millisecond', () => {
    restoreClock = setClock(() => new Date(0));
    const ids = Array.from({ length: 100_000 }, () => newId('evt'));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('favours no character in its random part', () => {
    const characters = Array.from({ length: 4_000 }, () => newId('evt').slice(-16)).join('');
    const counts = Map.groupBy(characters, (character) => character);
    expect(counts.size).toBe(32);
    // 2,000 of each are expected; six standard deviations are about 270.
    for (const [, { length }] of counts) expect(Math.abs(length - 2_000)).toBeLessThan(270);
  });
});

describe('the prefix of a service', () => {
  test('makes ids, and may be declared again for its collection', () => {
    const prefix = declareIdPrefix('greeting', 'hello_greetings');
    expect(declareIdPrefix('greeting', 'hello_greetings')).toBe(prefix);
    expect(newId(prefix)).toMatch(idPattern(prefix));
  });

  test.each([
    ['usr', 'the id prefix usr belongs to the platform'],
    ['greeting', 'the id prefix greeting belongs to hello_greetings'],
    ['Greeting', 'must be 2 to 20 lower-case letters'],
    ['g', 'must be 2 to 20 lower-case letters'],
    ['greeting_', 'must be 2 to 20 lower-case letters'],
  ])('%s is refused for another collection', (prefix, reason) => {
    expect(() => declareIdPrefix(prefix, 'other')).toThrow(reason);
  });
});
