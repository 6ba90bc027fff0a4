import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fromNow, second } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { claimLease, type Lease, newLease, renewLease } from '../../../lib/data/lease.ts';
import { IdentifierModel } from '../../../models/context/identifier.ts';
import { ownContextDatabase } from '../../support/context-database.ts';

ownContextDatabase();

type Work = Lease & { _id: string; state: string };
const collection = () => nativeCollection<Work>(IdentifierModel);
const claim = (_id: string, state = 'running') => claimLease<Work>(IdentifierModel, { _id, state }, second);

async function store(milliseconds: number): Promise<Work> {
  const work = { _id: newId('req'), state: 'running', ...newLease(milliseconds) };
  await collection().insertOne(work);
  return work;
}

describe('a lease', () => {
  test('is claimed when it has expired, under another owner, and not while it is held', async () => {
    const { _id, leaseOwner } = await store(0);
    const held = await claim(_id);
    expect(held).toMatchObject({ _id, state: 'running' });
    expect(held?.leaseOwner).not.toBe(leaseOwner);
    expect(held?.leaseUntil.getTime()).toBeGreaterThan(fromNow(0).getTime());
    expect(await claim(_id)).toBeNull();
    expect(await collection().findOne({ _id })).toEqual(held);
  });

  test('is not claimed of a document with other fields', async () => {
    const work = await store(0);
    expect(await claim(work._id, 'done')).toBeNull();
    expect(await collection().findOne({ _id: work._id })).toEqual(work);
  });

  test('is renewed by its owner, and not by an earlier one', async () => {
    const { _id, leaseOwner } = await store(0);
    expect(await renewLease<Work>(IdentifierModel, { _id, leaseOwner }, 0)).toBe(true);
    const held = await claim(_id);
    expect(await renewLease<Work>(IdentifierModel, { _id, leaseOwner }, second)).toBe(false);
    expect(await collection().findOne({ _id })).toEqual(held);
  });

  test('is given to exactly one of many claims at the same time', async () => {
    const law = fc.asyncProperty(fc.integer({ min: 1, max: 8 }), async (claims) => {
      const { _id } = await store(0);
      const outcomes = await Promise.all(Array.from({ length: claims }, () => claim(_id)));
      const holders = outcomes.filter((held) => held !== null);
      expect(holders).toEqual([await collection().findOne({ _id })]);
    });
    await fc.assert(law, { endOnFailure: true });
  });
});
