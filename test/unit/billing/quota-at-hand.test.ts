import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { setClock } from '../../../lib/clock.ts';
import {
  atHand,
  drawAtHand,
  emptyHands,
  keepAtHand,
  noteScarcity,
  noteSpent,
  wantedAhead,
} from '../../../lib/quota-at-hand.ts';
import { leaseInstant } from '../../../lib/quota-leases.ts';
import { newLotKey, type OpenLot, openLot, timesOfLot } from '../../../lib/quota-lots.ts';
import { until } from '../../support/until.ts';

/** What was charged of each lot, by its key. */
const charged = new Map<string, number>();

const ctx = {
  service: { name: 'shop' },
  broker: {
    logger: { warn: () => undefined },
    call: (_name: string, { body }: { body: { takes: { receipt: { key: string }; charged: number }[] } }) => {
      for (const take of body.takes) charged.set(take.receipt.key, take.charged);
      return Promise.resolve();
    },
  },
} as never;

function lotOf(amount: number, periodEnd: Date | null = null): OpenLot & { key: string } {
  const key = newLotKey();
  const receipt = { orgId: 'org', counter: 'counter', meter: 'context.eventsPerDay', key, nonce: 'n', amount } as const;
  const opened = { requestedAt: leaseInstant(), periodEnd };
  return { ...openLot(ctx, { ...receipt, remembered: false }, opened), key };
}

afterEach(() => {
  emptyHands();
  charged.clear();
});

describe('a lot', () => {
  test('is charged once it is closed and its parts have ended, with what they came to', async () => {
    const lot = lotOf(10);
    const [one, other] = [lot.part(3), lot.part(4)];
    one.end(2);
    lot.close();
    lot.close();
    expect(charged.size).toBe(0);
    other.end(4);
    await until(() => charged.get(lot.key) === 6);
  });

  test('has again what a part did not come to', () => {
    const lot = lotOf(2);
    const part = lot.part(2);
    expect(lot.left()).toBe(0);
    part.end(1);
    expect(lot.left()).toBe(1);
  });

  test('is left to its service when a part cannot say what it did', async () => {
    const [lot, other] = [lotOf(5), lotOf(5)];
    const parts = [lot.part(1), lot.part(1)];
    parts[0]!.end(null);
    expect(lot.left()).toBe(0);
    parts[1]!.end(1);
    lot.close();
    other.close();
    await until(() => charged.has(other.key));
    expect(charged.has(lot.key)).toBe(false);
  });

  test('has nothing for others once its period has ended, and its parts are received within its times', () => {
    let instant = Date.parse('2030-01-31T23:59:59.999Z');
    const restore = setClock(() => new Date(instant));
    const lot = lotOf(5, new Date('2030-02-01T00:00:00.000Z'));
    const { from, to } = timesOfLot(lot.key)!;
    expect(lot.left()).toBe(5);
    instant += 1;
    expect(lot.left()).toBe(0);
    for (const jump of [-60_000, 0, 60_000]) {
      instant = +from + jump;
      const { at } = lot.part(1).lot;
      expect(+at).toBeGreaterThanOrEqual(+from);
      expect(+at).toBeLessThanOrEqual(+to);
    }
    restore();
  });

  test.each(['', 'nothing', '-abc', '!'])('is none of the key %j', (key) => {
    const times = timesOfLot(key);
    expect(times === null || +times.from < Date.parse('2020-01-01')).toBe(true);
  });
});

describe('what is at hand', () => {
  test('is drawn from the oldest lot that has as much', () => {
    const [old, young] = [lotOf(2), lotOf(10)];
    keepAtHand('a', old);
    keepAtHand('a', young);
    expect([atHand('a'), atHand('b')]).toEqual([10, 0]);
    expect(drawAtHand('a', 2)!.lot.key).toBe(old.key);
    expect(drawAtHand('a', 5)!.lot.key).toBe(young.key);
    expect(drawAtHand('a', 6)).toBeNull();
    expect(drawAtHand('b', 1)).toBeNull();
  });

  test('comes back by itself when nobody wants it', async () => {
    const lot = lotOf(9);
    keepAtHand('a', lot);
    drawAtHand('a', 4)!.end(4);
    await until(() => charged.get(lot.key) === 4);
    expect(atHand('a')).toBe(0);
  });

  test('is taken ahead by whom spends much, as much as that, less what is there, and refilled in time', () => {
    const refill = jest.fn();
    noteSpent('a', 7, refill);
    expect(wantedAhead('a')).toBe(0);
    expect(refill).not.toHaveBeenCalled();
    noteSpent('a', 50, refill);
    expect(wantedAhead('a')).toBe(57);
    expect(refill).toHaveBeenCalledTimes(1);
    keepAtHand('a', lotOf(50));
    expect(wantedAhead('a')).toBe(7);
    noteSpent('a', 5000, refill);
    expect(wantedAhead('a')).toBe(950);
    expect(refill).toHaveBeenCalledTimes(1);
  });

  test('is not refilled where little is left', async () => {
    const refill = jest.fn();
    noteScarcity('a');
    noteSpent('a', 50, refill);
    expect(refill).not.toHaveBeenCalled();
    await until(() => {
      noteSpent('a', 1, refill);
      return refill.mock.calls.length > 0;
    });
  });
});
