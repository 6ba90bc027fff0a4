import { afterEach, describe, expect, test } from '@jest/globals';
import type { Context } from 'moleculer';
import { newQuotaBatchKey } from '../../../lib/clients/quota-batches.ts';
import { day, now, setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { eraseCustomer } from '../../../services/context/erasure.ts';
import { settleQuota } from '../../../services/context/ingest/settle-quota.ts';
import { storeEvent, storeEvents } from '../../../services/context/ingest/store-events.ts';
import { findSettledCustomer } from '../../../services/context/stories.ts';
import { ownContextDatabase } from '../../support/context-database.ts';
import { eventAbout } from '../../support/events.ts';
import { composeAll } from './consistency.ts';

ownContextDatabase();

let putBack = () => {};
afterEach(() => putBack());

type Done = { done: { key: string; amount: number }[] };

/** Asks as billing does. */
async function settle(orgId: string, ...keys: string[]): Promise<number[]> {
  const handler = settleQuota.handler as (ctx: Context) => Promise<Done>;
  const { done } = await handler({ params: { body: { orgId, keys } }, meta: {} } as unknown as Context);
  expect(done.map(({ key }) => key)).toEqual(keys);
  return done.map(({ amount }) => amount);
}

/** Stores an event of each of these customers, with one batch of units for all of them. */
async function storeBatch(orgId: string, ...customers: string[]): Promise<string> {
  const quotaBatch = { key: newQuotaBatchKey(), receivedAt: now(), isHeld: () => true };
  for (const customer of customers)
    expect(await storeEvent(orgId, eventAbout(orgId, customer), { quotaBatch })).toBe('accepted');
  await composeAll();
  return quotaBatch.key;
}

async function erase(orgId: string, customerId: string): Promise<void> {
  const customer = await findSettledCustomer(orgId, { type: 'id', value: customerId });
  expect(await eraseCustomer(orgId, customer!)).toBe(true);
}

describe('an event whose quota was given back while the process stalled', () => {
  test('is not stored, alone or in a batch', async () => {
    const orgId = newId('org');
    const quotaBatch = { key: newQuotaBatchKey(), receivedAt: now(), isHeld: () => false };
    const refusal = { type: 'UNAVAILABLE' };
    await expect(storeEvent(orgId, eventAbout(orgId, 'a'), { quotaBatch })).rejects.toMatchObject(refusal);
    await expect(storeEvents(orgId, [eventAbout(orgId, 'a')], { quotaBatch })).rejects.toMatchObject(refusal);
    expect(await settle(orgId, quotaBatch.key)).toEqual([0]);
  });
});

describe('context.quota.settle', () => {
  test('counts the events of each batch, and none of another organization', async () => {
    const [orgId, neighbour] = [newId('org'), newId('org')];
    const batches = [await storeBatch(orgId, 'a', 'b'), await storeBatch(orgId, 'a')];
    expect(await settle(orgId, ...batches, newQuotaBatchKey(), 'none')).toEqual([2, 1, 0, 0]);
    expect(await settle(neighbour, ...batches)).toEqual([0, 0]);
  });

  test('counts events that were erased meanwhile: they were accepted', async () => {
    const orgId = newId('org');
    const batches = [await storeBatch(orgId, 'a', 'b', 'b'), await storeBatch(orgId, 'a')];
    await erase(orgId, 'a');
    expect(await settle(orgId, ...batches)).toEqual([3, 1]);
    await erase(orgId, 'b');
    expect(await settle(orgId, ...batches)).toEqual([3, 1]);
  });

  test.each([
    ['long after they were received', 20 * day],
    ['by a node whose clock is behind', -90_000],
  ])('counts events that were erased %s', async (_when, later) => {
    const orgId = newId('org');
    const batch = await storeBatch(orgId, 'a');
    putBack = setClock(() => new Date(Date.now() + later));
    await erase(orgId, 'a');
    expect(await settle(orgId, batch)).toEqual([1]);
  });

  test('counts once what is erased while it is counted', async () => {
    const orgId = newId('org');
    const customers = Array.from({ length: 20 }, (_one, place) => `customer-${place}`);
    const batch = await storeBatch(orgId, ...customers);
    const erasing = customers.map((customer) => erase(orgId, customer));
    const counted = await Promise.all(Array.from({ length: 50 }, () => settle(orgId, batch)));
    await Promise.all(erasing);
    expect(new Set(counted.flat())).toEqual(new Set([20]));
  });
});
