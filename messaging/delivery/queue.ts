import { MongoBulkWriteError } from 'mongodb';
import type { Model } from 'mongoose';
import { leaseFromNow, leaseNow, minute, now } from '../../lib/data/clock.ts';
import { maxBatchSize, nativeCollection } from '../../lib/data/collection.ts';
import { behindId } from '../../lib/data/ids.ts';
import type { DeliveryFields } from './documents.ts';

export const lease = minute;

/** A document that only this process may deliver while its lease is valid. */
export type Claim<D extends DeliveryFields> = D & { leaseOwner: string };

/** Claims at most `most` documents, and at most `maxPerOrganization` of one organization; 0 skips it. */
export type ClaimRequest = { most: number; maxPerOrganization: (orgId: string) => number };

/** The fields to store for a claimed document after an attempt. */
export type Outcome<D extends DeliveryFields> = { claim: Claim<D>; fields: Partial<DeliveryFields> };

export type Queue<D extends DeliveryFields> = {
  /**
   * Claims the oldest documents of the organizations that follow the last served one, under one lease. Empty when
   * nothing is ready.
   */
  claim: (request: ClaimRequest) => Promise<Claim<D>[]>;
  /** Renews the lease of documents, except those that another process has claimed since. */
  renew: (leaseOwner: string, ids: string[]) => Promise<void>;
  /** Stores the outcome and ends the lease; false when another process has claimed the document since. */
  settle: (outcome: Outcome<D>) => Promise<boolean>;
  /**
   * Stores many outcomes in one command. Returns those that the database rejected, each with its error; the others are
   * stored. Throws when it is unknown which were stored.
   */
  settleAll: (outcomes: Outcome<D>[]) => Promise<Map<Outcome<D>, unknown>>;
  /** Queues claimed documents again that were not attempted. */
  release: (claims: Claim<D>[]) => Promise<void>;
  /**
   * Queues due retries and documents with an expired lease, except those this process holds. Returns their number. Any
   * process may call it at any time.
   */
  promote: (held: string[]) => Promise<number>;
};

type Collection = () => ReturnType<typeof nativeCollection<DeliveryFields>>;

/** Creates the queue over a collection. `owner` names the process in leases. */
export function createQueue<D extends DeliveryFields>(model: Model<D>, owner: string): Queue<D> {
  const collection = () => nativeCollection<DeliveryFields>(model);
  const nextReady = createScan<D>(collection);
  let leases = 0;
  return {
    async claim(request) {
      for (;;) {
        const ready = await nextReady(request);
        if (ready.length === 0) return [];
        leases += 1;
        const claims = await claimOf<D>(collection, ready, `${owner}-${leases}`);
        if (claims.length > 0) return claims;
      }
    },
    async renew(leaseOwner, ids) {
      const leased = { _id: { $in: ids }, leaseOwner, status: 'sending' };
      await collection().updateMany(leased, { $set: { nextAttemptAt: leaseFromNow(lease) } });
    },
    settle: async (outcome) => (await collection().updateOne(...updateOf(outcome))).matchedCount === 1,
    async settleAll(outcomes) {
      const alike = [...Map.groupBy(outcomes, outcomeKey).values()];
      try {
        await collection().bulkWrite(alike.map(operationOf), { ordered: false });
        return new Map();
      } catch (error) {
        const refusals = refusalsOf(error);
        if (!refusals) throw error;
        return new Map(alike.flatMap((group, index) => refusalOfEach(group, refusals.get(index))));
      }
    },
    async release(claims) {
      const owners = [...new Set(claims.map(({ leaseOwner }) => leaseOwner))];
      const leased = { _id: { $in: claims.map(idOf) }, leaseOwner: { $in: owners }, status: 'sending' };
      const free = { status: 'queued', leaseOwner: null, nextAttemptAt: now() };
      if (claims.length > 0) await collection().updateMany(leased, { $set: free, $inc: { attempts: -1 } });
    },
    promote: async (leased) =>
      (await promoteOf(collection(), { status: 'waiting', nextAttemptAt: { $lte: now() } }, [])) +
      (await promoteOf(collection(), { status: 'sending', nextAttemptAt: { $lte: leaseNow() } }, leased)),
  };
}

/** A range of organization ids. */
type Range = { $gte?: string; $lte?: string };

/** Finds the documents to claim next: of one organization, or of several with few each. Organizations take turns. */
function createScan<D extends DeliveryFields>(collection: Collection): (request: ClaimRequest) => Promise<D[]> {
  let lastServed = '';

  /**
   * Returns the range from the next organization with claimable documents; each step of the skip scan is one index
   * lookup.
   */
  async function nextRange(maxPerOrganization: ClaimRequest['maxPerOrganization']): Promise<Range | null> {
    for (const range of [{ $gte: behindId(lastServed) }, { $lte: lastServed }]) {
      for (let bounds: Range = range; ; ) {
        const [next] = await collection()
          .find({ status: 'queued', orgId: bounds }, { projection: { orgId: 1 } })
          .sort({ orgId: 1, _id: 1 })
          .limit(1)
          .toArray();
        if (!next) break;
        if (maxPerOrganization(next.orgId) > 0) return { ...range, $gte: next.orgId };
        bounds = { ...bounds, $gte: behindId(next.orgId) };
      }
    }
    return null;
  }

  return async ({ most, maxPerOrganization }) => {
    const range = await nextRange(maxPerOrganization);
    if (range === null) return [];
    const oldest = collection().find({ status: 'queued', orgId: range }).sort({ orgId: 1, _id: 1 }).limit(most);
    const ready = takePerOrganization(maxPerOrganization, (await oldest.toArray()) as unknown as D[]);
    lastServed = ready.at(-1)?.orgId ?? lastServed;
    return ready;
  };
}

async function claimOf<D extends DeliveryFields>(
  collection: Collection,
  ready: D[],
  leaseOwner: string,
): Promise<Claim<D>[]> {
  const these = { orgId: { $in: [...new Set(ready.map(({ orgId }) => orgId))] }, _id: { $in: ready.map(idOf) } };
  const claimed = { status: 'sending', leaseOwner, nextAttemptAt: leaseFromNow(lease), updatedAt: now() };
  const change = { $set: claimed, $inc: { attempts: 1 } };
  const { modifiedCount } = await collection().updateMany({ status: 'queued', ...these }, change);
  if (modifiedCount === ready.length) return ready.map((one) => ({ ...one, ...claimed, attempts: one.attempts + 1 }));
  if (modifiedCount === 0) return [];
  // Another process claimed some of them concurrently.
  const found = await collection()
    .find({ ...these, leaseOwner })
    .sort({ orgId: 1, _id: 1 })
    .toArray();
  return found as unknown as Claim<D>[];
}

function updateOf<D extends DeliveryFields>({ claim: { orgId, _id, leaseOwner }, fields }: Outcome<D>) {
  const change = { $set: { leaseOwner: null, updatedAt: now(), ...fields } };
  return [{ orgId, _id, leaseOwner, status: 'sending' }, change] as const;
}

/**
 * The grouping key of outcomes that one update can store: the lease, and all fields except times. Only successes are
 * grouped; every retry has a different time.
 */
function outcomeKey<D extends DeliveryFields>({ claim: { _id, leaseOwner }, fields }: Outcome<D>): string {
  const common = Object.entries(fields).filter(([, value]) => !(value instanceof Date));
  const arePlain = common.every(([, value]) => value === null || typeof value !== 'object');
  return fields.status === 'sent' && arePlain ? JSON.stringify([leaseOwner, common]) : _id;
}

/** Builds one update for outcomes with the same key. All get the time of the last one, at most milliseconds later. */
function operationOf<D extends DeliveryFields>(alike: Outcome<D>[]) {
  const [filter, update] = updateOf(alike.at(-1) as Outcome<D>);
  if (alike.length === 1) return { updateOne: { filter, update } };
  const orgId = { $in: [...new Set(alike.map(({ claim }) => claim.orgId))] };
  const _id = { $in: alike.map(({ claim }) => claim._id) };
  return { updateMany: { filter: { ...filter, orgId, _id }, update } };
}

function refusalOfEach<D extends DeliveryFields>(outcomes: Outcome<D>[], refusal: unknown): [Outcome<D>, unknown][] {
  return refusal === undefined ? [] : outcomes.map((outcome) => [outcome, refusal]);
}

/** The write errors of a bulk write by operation index; null when other operations may not be durable either. */
function refusalsOf(error: unknown): Map<number, unknown> | null {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) return null;
  const refusals = [error.writeErrors].flat();
  return refusals.length === 0 ? null : new Map(refusals.map((refusal) => [refusal.index, refusal]));
}

const idOf = ({ _id }: { _id: string }): string => _id;

/** Keeps the first documents of each organization, up to its maximum. */
function takePerOrganization<T extends { orgId: string }>(
  maxPerOrganization: ClaimRequest['maxPerOrganization'],
  found: T[],
): T[] {
  const remaining = new Map<string, number>();
  return found.filter(({ orgId }) => {
    const count = remaining.get(orgId) ?? maxPerOrganization(orgId);
    remaining.set(orgId, count - 1);
    return count > 0;
  });
}

/** Updates in batches of bounded size, because a statement blocks others while it runs. */
async function promoteOf(
  collection: ReturnType<typeof nativeCollection<DeliveryFields>>,
  due: Record<string, unknown>,
  except: string[],
): Promise<number> {
  const others = except.length > 0 ? { ...due, _id: { $nin: except } } : due;
  const found = await collection
    .find(others, { projection: { _id: 1 } })
    .limit(maxBatchSize)
    .toArray();
  if (found.length === 0) return 0;
  const queued = { status: 'queued', leaseOwner: null, nextAttemptAt: now() };
  const { modifiedCount } = await collection.updateMany(
    { ...due, _id: { $in: found.map(({ _id }) => _id) } },
    { $set: queued },
  );
  return modifiedCount;
}
