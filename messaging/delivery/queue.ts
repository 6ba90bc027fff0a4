import { type Model, mongo } from 'mongoose';
import { leaseFromNow, leaseNow, minute, now } from '../../lib/clock.ts';
import { behindId } from '../../lib/ids.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { maxBatchSize } from '../../lib/remove-up-to.ts';
import type { DeliveryFields } from './documents.ts';

export const lease = minute;

/** A document that only this process may deliver, as long as its lease is renewed. */
export type Claim<D extends DeliveryFields> = D & { leaseOwner: string };

/** What to claim: at most so many documents, and of an organization at most `mostOf` it; 0 skips it. */
export type ClaimRequest = { most: number; maxPerOrganization: (orgId: string) => number };

/** What became of a claimed document. */
export type Outcome<D extends DeliveryFields> = { claim: Claim<D>; fields: Partial<DeliveryFields> };

export type Queue<D extends DeliveryFields> = {
  /**
   * Claims the oldest documents of the organizations after the one that was served last, under one lease. Empty when
   * nothing is ready.
   */
  claim: (wanted: ClaimRequest) => Promise<Claim<D>[]>;
  /** Renews a lease of some documents, but of those that another process has claimed since. */
  renew: (leaseOwner: string, ids: string[]) => Promise<void>;
  /** Stores what became of it and ends the lease; false when another process has claimed it since. */
  settle: (outcome: Outcome<D>) => Promise<boolean>;
  /**
   * The same for many in one command. Returns those that the database refused, each with its error; the others are
   * stored. Throws when it is not known which are.
   */
  settleAll: (outcomes: Outcome<D>[]) => Promise<Map<Outcome<D>, unknown>>;
  /** Queues claimed documents again that were not tried. */
  release: (claims: Claim<D>[]) => Promise<void>;
  /**
   * Queues what is due again and what a dead process held, but not what this one holds; returns how many. Any process
   * may do it at any time.
   */
  promote: (held: string[]) => Promise<number>;
};

type Collection = () => ReturnType<typeof nativeCollection<DeliveryFields>>;

/** The queue in a collection, as one process sees it. `owner` names the process in leases. */
export function createQueue<D extends DeliveryFields>(model: Model<D>, owner: string): Queue<D> {
  const collection = () => nativeCollection<DeliveryFields>(model);
  const nextReady = createScan<D>(collection);
  let leases = 0;
  return {
    async claim(wanted) {
      for (;;) {
        const ready = await nextReady(wanted);
        if (ready.length === 0) return [];
        leases += 1;
        const claims = await claimOf<D>(collection, ready, `${owner}-${leases}`);
        if (claims.length > 0) return claims;
      }
    },
    async renew(leaseOwner, ids) {
      const held = { _id: { $in: ids }, leaseOwner, status: 'sending' };
      await collection().updateMany(held, { $set: { nextAttemptAt: leaseFromNow(lease) } });
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
        return new Map(alike.flatMap((some, place) => refusalOfEach(some, refusals.get(place))));
      }
    },
    async release(claims) {
      const owners = [...new Set(claims.map(({ leaseOwner }) => leaseOwner))];
      const held = { _id: { $in: claims.map(idOf) }, leaseOwner: { $in: owners }, status: 'sending' };
      const free = { status: 'queued', leaseOwner: null, nextAttemptAt: now() };
      if (claims.length > 0) await collection().updateMany(held, { $set: free, $inc: { attempts: -1 } });
    },
    promote: async (held) =>
      (await promoteOf(collection(), { status: 'waiting', nextAttemptAt: { $lte: now() } }, [])) +
      (await promoteOf(collection(), { status: 'sending', nextAttemptAt: { $lte: leaseNow() } }, held)),
  };
}

/** A part of the organizations, by their ids. */
type Range = { $gte?: string; $lte?: string };

/** Finds what could be claimed next: of one organization, or of several that have little. Organizations take turns. */
function createScan<D extends DeliveryFields>(collection: Collection): (wanted: ClaimRequest) => Promise<D[]> {
  let lastServed = '';

  /** From the next organization of which something may be claimed; each step of the skip scan is one look into the index. */
  async function nextRange(mostOf: ClaimRequest['maxPerOrganization']): Promise<Range | null> {
    for (const range of [{ $gte: behindId(lastServed) }, { $lte: lastServed }]) {
      for (let bounds: Range = range; ; ) {
        const [next] = await collection()
          .find({ status: 'queued', orgId: bounds }, { projection: { orgId: 1 } })
          .sort({ orgId: 1, _id: 1 })
          .limit(1)
          .toArray();
        if (!next) break;
        if (mostOf(next.orgId) > 0) return { ...range, $gte: next.orgId };
        bounds = { ...bounds, $gte: behindId(next.orgId) };
      }
    }
    return null;
  }

  return async ({ most, maxPerOrganization: mostOf }) => {
    const range = await nextRange(mostOf);
    if (range === null) return [];
    const oldest = collection().find({ status: 'queued', orgId: range }).sort({ orgId: 1, _id: 1 }).limit(most);
    const ready = takePerOrganization(mostOf, (await oldest.toArray()) as unknown as D[]);
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
  // Another process has claimed some of them first.
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
 * What outcomes have in common that are stored by one update: the lease, and all fields but the time of sending. Only
 * successes are alike; retries have times of their own.
 */
function outcomeKey<D extends DeliveryFields>({ claim: { _id, leaseOwner }, fields }: Outcome<D>): string {
  const common = Object.entries(fields).filter(([, value]) => !(value instanceof Date));
  const arePlain = common.every(([, value]) => value === null || typeof value !== 'object');
  return fields.status === 'sent' && arePlain ? JSON.stringify([leaseOwner, common]) : _id;
}

/** Outcomes that are alike get the time of the last of them, which is milliseconds later. */
function operationOf<D extends DeliveryFields>(alike: Outcome<D>[]) {
  const [filter, update] = updateOf(alike.at(-1) as Outcome<D>);
  if (alike.length === 1) return { updateOne: { filter, update } };
  const orgId = { $in: [...new Set(alike.map(({ claim }) => claim.orgId))] };
  const _id = { $in: alike.map(({ claim }) => claim._id) };
  return { updateMany: { filter: { ...filter, orgId, _id }, update } };
}

function refusalOfEach<D extends DeliveryFields>(some: Outcome<D>[], refusal: unknown): [Outcome<D>, unknown][] {
  return refusal === undefined ? [] : some.map((outcome) => [outcome, refusal]);
}

/** The operations of a bulk write that failed, by their places; null when others may not be durable either. */
function refusalsOf(error: unknown): Map<number, unknown> | null {
  if (!(error instanceof mongo.MongoBulkWriteError) || error.result.getWriteConcernError()) return null;
  const refusals = [error.writeErrors].flat();
  return refusals.length === 0 ? null : new Map(refusals.map((refusal) => [refusal.index, refusal]));
}

const idOf = ({ _id }: { _id: string }): string => _id;

/** The first of each organization, no more than it may have. */
function takePerOrganization<T extends { orgId: string }>(mostOf: ClaimRequest['maxPerOrganization'], found: T[]): T[] {
  const left = new Map<string, number>();
  return found.filter(({ orgId }) => {
    const count = left.get(orgId) ?? mostOf(orgId);
    left.set(orgId, count - 1);
    return count > 0;
  });
}

/** In statements of a bounded size, because one blocks others meanwhile. */
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
