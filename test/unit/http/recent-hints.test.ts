import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createRecentHints, type RecentHints } from '../../../http/event-streams.ts';
import type { ChangeNotification } from '../../../lib/clients/change-notifications.ts';
import { minute, second, setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';

const start = Date.UTC(2026, 2, 2);
let time = start;
let hints: RecentHints;
let restoreClock: () => void;

beforeEach(() => {
  time = start;
  restoreClock = setClock(() => new Date(time));
  hints = createRecentHints();
  // Until then a hint could have been sent before this listener heard of any.
  time += minute;
});

afterEach(() => restoreClock());

function add(channel: string, skew = 0): ChangeNotification {
  time += skew;
  const hint = { id: newId('hnt'), channel, event: 'changed', data: {} };
  time -= skew;
  hints.add(hint);
  return hint;
}

const idsSince = (id: string, ...channels: string[]) => hints.since(id, channels)?.map((hint) => hint.id);

describe('the hints since an id', () => {
  test('are those of the channels that came after it', () => {
    const [one, two] = [add('a'), add('a')];
    const three = add('b');
    add('c');
    expect(idsSince(one.id, 'a', 'b')).toEqual([two.id, three.id]);
  });

  test('begin before it, because another clock may be behind', () => {
    const last = add('a');
    const late = add('a', -29 * second);
    expect(idsSince(last.id, 'a')).toEqual([late.id]);
  });

  test('are not known when the listener had not yet begun, or may have missed some', () => {
    const last = add('a');
    expect(idsSince(last.id, 'a')).toEqual([]);
    time += second;
    hints.restart();
    expect(idsSince(last.id, 'a')).toBeUndefined();
    time += minute;
    expect(idsSince(add('a').id, 'a')).toEqual([]);
  });

  test('are not known after two minutes, or when there were too many of the channel', () => {
    const last = add('a');
    time += minute;
    for (let n = 0; n < 100; n += 1) add('b');
    expect(idsSince(last.id, 'b')).toHaveLength(100);
    add('b');
    expect(idsSince(last.id, 'b')).toBeUndefined();
    expect(idsSince(last.id, 'a')).toEqual([]);
    time += 2 * minute;
    add('a');
    expect(idsSince(last.id, 'a')).toBeUndefined();
  });

  test.each(['', 'hnt_', 'evt_1', 'x'.repeat(10_000)])('are not known for %j', (id) => {
    expect(idsSince(id, 'a')).toBeUndefined();
  });

  test('hold every hint of the channels that came after it, or are not known', () => {
    const step = fc.record({
      channel: fc.constantFrom('a', 'b', 'c'),
      pause: fc.integer({ min: 0, max: 20_000 }),
      skew: fc.integer({ min: -14_000, max: 14_000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 300 }), fc.nat(), (steps, chosen) => {
        time = start;
        hints = createRecentHints();
        const sent = steps.map(({ channel, pause, skew }) => {
          time += pause;
          return add(channel, skew);
        });
        const at = chosen % sent.length;
        const known = idsSince(sent[at]!.id, 'a', 'b');
        if (known === undefined) return;
        const later = sent.slice(at + 1).filter(({ channel }) => channel !== 'c');
        expect(known).toEqual(expect.arrayContaining(later.map(({ id }) => id)));
        expect(known).not.toContain(sent[at]!.id);
      }),
    );
  });
});
