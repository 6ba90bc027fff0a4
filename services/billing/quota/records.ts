import { createBatcher } from '../../../lib/batched.ts';
import { day } from '../../../lib/clock.ts';
import { insertManyUnordered } from '../../../lib/insert-each.ts';
import type { TakeDocument } from '../../../models/billing/take.ts';
import type { Meter } from './meters.ts';
import { later, type Receipt, type Store } from './store.ts';

const rememberedFor = 2 * day;
const maxBatchSize = 200;

/** The charged units by key. */
export type Records = {
  /** The charge of a key; null when there is none. */
  find: (orgId: string, meter: Meter, key: string) => Promise<TakeDocument | null>;
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

const recordId = (orgId: string, meter: Meter, key: string): string => `${orgId}:${meter}:${key}`;

export function createRecords({ takes, now }: Store): Records {
  const findBatched = createBatcher(maxBatchSize, async (names: Name[]) => {
    const found = await takes.find({ ...filterOf(names), expiresAt: { $gt: now() } }).toArray();
    const byId = new Map(found.map((record) => [record._id, record]));
    return names.map(({ _id }) => byId.get(_id) ?? null);
  });

  const claimTogether = createBatcher(maxBatchSize, async (records: TakeDocument[]) => {
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
    find: (orgId, meter, key) => findBatched('', { _id: recordId(orgId, meter, key), orgId }),
    claim({ orgId, meter, key, counter, nonce }, charged) {
      const expiresAt = later(now(), rememberedFor);
      return claimTogether('', {
        _id: recordId(orgId, meter, key),
        orgId,
        counter,
        nonce,
        amount: charged,
        expiresAt,
      });
    },
  };
}
