import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createFindBatcher } from '../../../lib/data/batched-access.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type IdentifierDocument, IdentifierModel } from '../../../models/context/identifier.ts';
import { ownContextDatabase } from '../../support/context-database.ts';

ownContextDatabase();
afterEach(() => {
  jest.restoreAllMocks();
});

const collection = () => nativeCollection<IdentifierDocument>(IdentifierModel);
const identifier = (orgId: string, key: string): IdentifierDocument => ({
  ...{ _id: `${orgId}:${key}`, orgId, key, customer: newId('cus') },
});

describe('searches that are made together', () => {
  test('are one query of an organization, and each finds its own or nothing', async () => {
    const [one, other] = [newId('org'), newId('org')];
    const stored = ['a', 'b', 'c'].map((key) => identifier(one, key));
    await collection().insertMany([...stored, identifier(other, 'a')]);
    const find = jest.spyOn(collection(), 'find');
    const search = createFindBatcher<IdentifierDocument>(IdentifierModel, 'key');
    const found = await Promise.all([
      ...['a', 'b', 'c', 'd', 'a'].map((key) => search(one, key)),
      search(other, 'a'),
      search(other, 'b'),
    ]);
    expect(found.slice(0, 5)).toEqual([...stored, null, stored[0]]);
    expect(found[5]?.orgId).toBe(other);
    expect(found[6]).toBeNull();
    expect(find).toHaveBeenCalledTimes(2);
  });

  test('read the fields they ask for', async () => {
    const orgId = newId('org');
    const stored = identifier(orgId, 'a');
    await collection().insertOne(stored);
    const search = createFindBatcher<IdentifierDocument>(IdentifierModel, 'key', ['customer']);
    expect(await search(orgId, 'a')).toEqual({ _id: stored._id, key: 'a', customer: stored.customer });
    expect(await search(null, 'a')).toHaveProperty('customer');
  });

  test('see what was written before they were asked for, also beside one that is under way', async () => {
    const orgId = newId('org');
    const search = createFindBatcher<IdentifierDocument>(IdentifierModel, '_id');
    for (let round = 0; round < 20; round += 1) {
      const written = identifier(orgId, `key ${round}`);
      const searches: Promise<unknown>[] = [];
      const asking = (async () => {
        for (let turn = 0; turn < 20; turn += 1) {
          searches.push(search(orgId, 'nobody'));
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      await collection().insertOne(written);
      expect(await search(orgId, written._id)).toEqual(written);
      await asking;
      await Promise.all(searches);
    }
  });

  test('fail together when the database does, and not those after them', async () => {
    const orgId = newId('org');
    const search = createFindBatcher<IdentifierDocument>(IdentifierModel, '_id');
    jest.spyOn(collection(), 'find').mockImplementationOnce(() => {
      throw new Error('no connection');
    });
    const refused = await Promise.allSettled([search(orgId, 'a'), search(orgId, 'b')]);
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await search(orgId, 'a')).toBeNull();
  });
});
