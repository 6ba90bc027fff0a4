import type { Model } from 'mongoose';
import { fromNow, minute, now } from '../../lib/clock.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { maxStatement } from '../../lib/remove-up-to.ts';
import type { DeliveryFields } from './documents.ts';

export const lease = minute;

/** A document that only this process may deliver, as long as it renews its lease. */
export type Claim<D extends DeliveryFields> = D & { leaseOwner: string };

export type Queue<D extends DeliveryFields> = {
  /**
   * Claims the oldest document of the organization after the one that was served last; those in `except` are skipped.
   * Null when nothing is ready.
   */
  claimNext: (except: ReadonlySet<string>) => Promise<Claim<D> | null>;
  /** Renews the lease; false when another process has claimed the document since. */
  renew: (claim: Claim<D>) => Promise<boolean>;
  /** Stores what became of it and ends the lease, unless another process has claimed it since. */
  settle: (claim: Claim<D>, outcome: Partial<DeliveryFields>) => Promise<boolean>;
  /**
   * Queues what is due again and what a dead process held, but not what is in flight here; returns how many. Any process
   * may do it at any time.
   */
  promote: (inFlight: string[]) => Promise<number>;
};

/** The queue in a collection, as one process sees it. `owner` names the process in leases. */
export function createQueue<D extends DeliveryFields>(model: Model<D>, owner: string): Queue<D> {
  const collection = () => nativeCollection<DeliveryFields>(model);
  let lastServed = '';

  /** The next organization with ready documents, by a skip scan: each step is one look into the index. */
  async function nextOrganization(except: ReadonlySet<string>): Promise<string | null> {
    const ranges: Record<string, string>[] = [{ $gte: after(lastServed) }, { $lte: lastServed }];
    for (const range of ranges) {
      for (let bounds = range; ; ) {
        const [next] = await collection()
          .find({ status: 'queued', orgId: bounds }, { projection: { orgId: 1 } })
          .sort({ orgId: 1, _id: 1 })
          .limit(1)
          .toArray();
        if (!next) break;
        if (!except.has(next.orgId)) return next.orgId;
        bounds = { ...bounds, $gte: after(next.orgId) };
      }
    }
    return null;
  }

  async function claimOf(orgId: string): Promise<Claim<D> | null> {
    const claimed = { status: 'sending', leaseOwner: owner, leaseUntil: fromNow(lease), updatedAt: now() };
    const found = await collection().findOneAndUpdate(
      { status: 'queued', orgId },
      { $set: claimed, $inc: { attempts: 1 } },
      { sort: { _id: 1 }, returnDocument: 'after' },
    );
    return found as unknown as Claim<D> | null;
  }

  async function update({ orgId, _id, leaseOwner }: Claim<D>, change: Partial<DeliveryFields>): Promise<boolean> {
    const held = { orgId, _id, leaseOwner, status: 'sending' };
    return (await collection().updateOne(held, { $set: change })).matchedCount === 1;
  }

  return {
    async claimNext(except) {
      for (;;) {
        const orgId = await nextOrganization(except);
        if (orgId === null) return null;
        lastServed = orgId;
        const claim = await claimOf(orgId);
        if (claim) return claim;
      }
    },
    renew: (claim) => update(claim, { leaseUntil: fromNow(lease) }),
    settle: (claim, outcome) => update(claim, { leaseOwner: null, leaseUntil: null, updatedAt: now(), ...outcome }),
    promote: async (inFlight) =>
      (await promoteOf(collection(), { status: 'waiting', nextAttemptAt: { $lte: now() } }, [])) +
      (await promoteOf(collection(), { status: 'sending', leaseUntil: { $lte: now() } }, inFlight)),
  };
}

/**
 * The least text after all ids that begin with this one. An index of several fields is entered right there, where `$gt`
 * would first pass over every document of the organization.
 */
const after = (orgId: string): string => `${orgId}!`;

/** In statements of a bounded size, because one blocks others meanwhile. */
async function promoteOf(
  collection: ReturnType<typeof nativeCollection<DeliveryFields>>,
  due: Record<string, unknown>,
  except: string[],
): Promise<number> {
  const others = except.length > 0 ? { ...due, _id: { $nin: except } } : due;
  const found = await collection
    .find(others, { projection: { _id: 1 } })
    .limit(maxStatement)
    .toArray();
  if (found.length === 0) return 0;
  const queued = { status: 'queued', leaseOwner: null, leaseUntil: null, nextAttemptAt: now() };
  const { modifiedCount } = await collection.updateMany(
    { ...due, _id: { $in: found.map(({ _id }) => _id) } },
    { $set: queued },
  );
  return modifiedCount;
}
