import { createBatcher } from '../../../lib/concurrency/batcher.ts';
import { day } from '../../../lib/data/clock.ts';
import { insertManyUnordered } from '../../../lib/data/collection.ts';
import type { TakeDocument } from '../../../models/billing/take.ts';
import type { CounterName } from './shapes.ts';
import { later, type Receipt, type Store } from './store.ts';

const rememberedFor = 2 * day;
const maxBatchSize = 200;

/** The charged units by key, so that the work of a key is charged once. */
export type Records = {
  /** The records of keys, by key. */
  find: (of: Pick<CounterName, 'orgId' | 'meter'>, keys: string[]) => Promise<Map<string, TakeDocument>>;
  /**
   * Records this reservation as the charged one of its key, and returns its charge: the first recorded one; zero when
   * another reservation was recorded.
   */
  claim: (receipt: Receipt, charged: number) => Promise<number>;
};

type Name = Pick<TakeDocument, '_id' | 'orgId'>;

/** Keys of several organizations go in one query. */
const filterOf = (names: Name[]) => ({
  orgId: { $in: [...new Set(names.map(({ orgId }) => orgId))] },
  _id: { $in: names.map(({ _id }) => _id) },
});

const recordId = (orgId: string, meter: string, key: string): string => `${orgId}:${meter}:${key}`;

export function createRecords({ takes, now }: Store): Records {
  const findBatched = createBatcher(maxBatchSize, async (names: Name[]) => {
    const found = await takes.find({ ...filterOf(names), expiresAt: { $gt: now() } }).toArray();
    const byId = new Map(found.map((record) => [record._id, record]));
    return names.map(({ _id }) => byId.get(_id) ?? null);
  });

  const claimBatched = createBatcher(maxBatchSize, async (records: TakeDocument[]) => {
    // An expired record counts as removed, even before the sweep deletes it.
    const refused = await insertManyUnordered(takes, records);
    if (refused.size === 0) return records.map(({ amount }) => amount);
    const { deletedCount } = await takes.deleteMany({ ...filterOf(records), expiresAt: { $lte: now() } });
    if (deletedCount > 0) await insertManyUnordered(takes, records);
    const claimed = await takes.find(filterOf(records)).toArray();
    const amounts = new Map(claimed.map(({ nonce, amount }) => [nonce, amount]));
    return records.map(({ nonce }) => amounts.get(nonce) ?? 0);
  });

  return {
    async find({ orgId, meter }, keys) {
      const found = await Promise.all(
        keys.map(async (key) => [key, await findBatched('', { _id: recordId(orgId, meter, key), orgId })] as const),
      );
      return new Map(found.flatMap(([key, record]) => (record ? [[key, record] as const] : [])));
    },
    claim: ({ orgId, meter, key, counter, nonce }, charged) =>
      claimBatched('', {
        _id: recordId(orgId, meter, key),
        orgId,
        counter,
        nonce,
        amount: charged,
        expiresAt: later(now(), rememberedFor),
      }),
  };
}
