import { describe, expect, test } from '@jest/globals';
import { createBuffer } from '../../../messaging/delivery/buffer.ts';
import { type DeliveryFields, newDelivery } from '../../../messaging/delivery/documents.ts';
import { createPlaces } from '../../../messaging/delivery/places.ts';
import type { Claim } from '../../../messaging/delivery/queue.ts';

let ids = 0;
function claimsOf(orgId: string, count: number): Claim<DeliveryFields>[] {
  return Array.from({ length: count }, () => {
    ids += 1;
    return { ...newDelivery(new Date(0)), _id: `msg_${ids}`, orgId, leaseOwner: 'here' };
  });
}

function start() {
  const clock = { now: 1 };
  const buffer = createBuffer<DeliveryFields>({ places: 6, share: 5 }, () => clock.now);
  /** So many deliveries within a moment. */
  const deliver = (count: number) => {
    for (let number = 0; number < count; number += 1) {
      buffer.add(claimsOf('past', 1));
      buffer.ended(buffer.take()!);
    }
  };
  return { clock, buffer, deliver };
}

describe('the claims that a node has ahead', () => {
  test('are none beyond its places while nothing was delivered, and of one organization no more than its places', () => {
    const { buffer } = start();
    const { most, maxPerOrganization: mostOf } = buffer.wanted()!;
    expect([most, mostOf('a')]).toEqual([6, 5]);
    buffer.add(claimsOf('a', 5));
    for (let place = 0; place < 5; place += 1) expect(buffer.take()).not.toBeNull();
    expect([
      buffer.wanted()!.most,
      buffer.wanted()!.maxPerOrganization('a'),
      buffer.wanted()!.maxPerOrganization('b'),
    ]).toEqual([1, 0, 1]);
    buffer.add(claimsOf('b', 1));
    expect(buffer.take()).toMatchObject({ orgId: 'b' });
    expect(buffer.wanted()).toBeNull();
  });

  test('are as many as it delivered lately, and soon none again when it delivers nothing', () => {
    const { clock, buffer, deliver } = start();
    deliver(40);
    expect([buffer.wanted()!.most, buffer.wanted()!.maxPerOrganization('a')]).toEqual([46, 45]);
    clock.now += 250;
    expect(buffer.wanted()!.most).toBe(46);
    clock.now += 500;
    expect(buffer.wanted()!.most).toBe(6);
  });

  test('are claimed again when half are gone, and always of an organization that has none', () => {
    const { buffer, deliver } = start();
    deliver(40);
    buffer.add(claimsOf('big', 45));
    expect([
      buffer.isLow(),
      buffer.wanted()!.maxPerOrganization('big'),
      buffer.wanted()!.maxPerOrganization('small'),
    ]).toEqual([false, 0, 25]);
    for (let place = 0; place < 5; place += 1) buffer.take();
    expect(buffer.wanted()!.maxPerOrganization('small')).toBeGreaterThan(0);
  });

  test('leave in turns, of those organizations that have a place', () => {
    const { buffer } = start();
    buffer.add([...claimsOf('a', 8), ...claimsOf('b', 2)]);
    const taken = Array.from({ length: 7 }, () => buffer.take());
    expect(taken.map((claim) => claim?.orgId ?? '-').join('')).toBe('ababa--');
    buffer.ended(taken[1]!);
    buffer.ended(taken[3]!);
    expect(Array.from({ length: 2 }, () => buffer.take()?.orgId ?? '-')).toEqual(['a', 'a']);
    expect([buffer.size(), buffer.clear().length, buffer.size()]).toEqual([3, 3, 0]);
  });
});

describe('the places that organizations share', () => {
  test('are reserved in part for organizations that hold none and were not slow within a minute', async () => {
    const clock = { now: 1 };
    const places = createPlaces({ places: 32, share: 1 }, () => clock.now);
    const slow = Array.from({ length: 8 }, (_, number) => `slow ${number}`);
    const hold = () => slow.flatMap((orgId) => Array.from({ length: places.room(orgId) }, () => places.take(orgId)));
    let held = hold();
    expect(places.room('quick')).toBe(1);
    for (let round = 0; round < 3; round += 1) {
      clock.now += 10_000;
      for (const release of held) release();
      held = hold();
      expect([places.free(), places.room('slow 0'), places.room('quick')]).toEqual([8, 0, 1]);
    }
    const waits = places.acquire('slow 0');
    const release = await places.acquire('quick');
    release();
    expect(places.room('slow 0')).toBe(0);
    for (const one of held) one();
    (await waits)();
    clock.now += 61_000;
    expect(places.room('slow 0')).toBe(12);
  });
});
