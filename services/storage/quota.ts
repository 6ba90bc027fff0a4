import {
  commitInBackground,
  commitTakes,
  type Lease,
  leaseInstant,
  type QuotaCaller,
  type Receipt,
  refundInBackground,
  settlementInput,
  settlementOutput,
  startLease,
} from '../../lib/clients/quota.ts';
import { requireTaken } from '../../lib/clients/quota-refusal.ts';
import { createBatcher } from '../../lib/concurrency/batcher.ts';
import { type BrokerContext, call } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { mebibyte } from '../../lib/format/bytes.ts';
import { type Charge, type ObjectDocument, ObjectModel, type Version } from '../../models/storage/object.ts';

export const storageMeter = 'storage.storageGb';

/** The maximum first prefetch beyond the bytes that have arrived; each further one is at most twice the previous. */
const firstStep = mebibyte;
const maxStep = 256 * mebibyte;
/**
 * The maximum share of the available bytes to prefetch, so that near the limit other uploads can get the bytes that
 * they need.
 */
const maxPrefetchShare = 1 / 8;

/** The bytes that an upload has reserved of its organization's quota. */
export type ByteReservation = {
  /** Reserves until at least this many bytes are reserved. Throws PLAN_LIMIT_EXCEEDED and other quota errors. */
  cover: (bytes: number) => Promise<void>;
  /** Whether all leases are valid; check it right before the write that uses the bytes. */
  isHeld: () => boolean;
  /** Returns the charges for this many bytes. */
  chargesFor: (bytes: number) => Charge[];
  /** Charges for a completed upload. */
  commit: (charges: Charge[]) => void;
  /** Releases everything, for an upload that failed. */
  refund: () => void;
  /** Leaves the reservation to billing, which later queries the stored bytes; for an upload with an unknown outcome. */
  leave: () => void;
};

type Part = { receipt: Receipt; lease: Lease; from: number };

/**
 * Reserves bytes for one version. Leases are renewed during the upload; the listener ends stalled uploads.
 *
 * @param size - in bytes; null if unknown. Then bytes are reserved step by step: those that have arrived and, while
 * plenty is available, a prefetch, so that exactly the plan's limit fits.
 */
export function reserveBytes(ctx: QuotaCaller, orgId: string, version: string, size: number | null): ByteReservation {
  const parts: Part[] = [];
  let reserved = 0;
  let step = firstStep;

  /** The bytes that were available at the last reservation; 0 before. */
  let remaining = 0;

  /** Reserves `amount` bytes, or only the `needed` ones if others have taken the rest since the last query. */
  async function take(needed: number, amount = needed): Promise<void> {
    const requestedAt = leaseInstant();
    const key = keyOf({ version, from: reserved, amount });
    const taken = await call(ctx.broker, 'billing.quota.take', {
      body: { orgId, meter: storageMeter, amount, key, owner: 'storage', remember: false },
    });
    if (taken.outcome === 'exceeded' && amount > needed) return await take(needed);
    const receipt = requireTaken(taken, { orgId, meter: storageMeter });
    parts.push({ receipt, lease: startLease(ctx, receipt, requestedAt, Number.POSITIVE_INFINITY), from: reserved });
    reserved += receipt.amount;
    remaining = taken.limit === null ? 0 : Math.max(0, taken.limit - taken.used);
  }

  return {
    async cover(bytes) {
      if (size !== null && reserved === 0 && size > 0) await take(size);
      if (reserved >= bytes) return;
      const ahead = Math.floor(Math.min(step, remaining * maxPrefetchShare));
      if (remaining > 0) step = Math.min(step * 2, maxStep);
      await take(bytes - reserved, Math.max(bytes - reserved, ahead));
    },
    isHeld: () => parts.every(({ lease }) => lease.isHeld()),
    chargesFor: (bytes) =>
      parts.map(({ receipt, from }) => ({ receipt, charged: within(bytes, from, receipt.amount) })),
    commit(charges) {
      for (const { lease } of parts) lease.end();
      for (const charge of charges) commitInBackground(ctx, charge);
    },
    refund() {
      for (const { lease } of parts) lease.end();
      for (const { receipt } of parts) refundInBackground(ctx, receipt);
    },
    leave() {
      for (const { lease } of parts) lease.end();
    },
  };
}

/** The number of bytes in a range of `amount` that begins at `from`. */
const within = (bytes: number, from: number, amount: number): number => Math.min(Math.max(bytes - from, 0), amount);

type Key = { version: string; from: number; amount: number };

/** The key of a reservation, from which a settlement query after a crash is answered. */
const keyOf = ({ version, from, amount }: Key): string => `${version}:${from}:${amount}`;

/** Parses a reservation key: the version, and the charge for a size; null for any other key. */
export function readKey(key: string): { version: string; chargedFor: (size: number) => number } | null {
  const [, version, from, amount] = /^(ver_[0-9a-z]+):(\d+):(\d+)$/.exec(key) ?? [];
  if (version === undefined) return null;
  return { version, chargedFor: (size) => within(size, Number(from), Number(amount)) };
}

const maxBatchSize = 200;

/**
 * Releases the quota of deleted versions. Idempotent for two days. Concurrent releases of an organization are batched,
 * with one call in flight, so that a slow billing service is not called for each version. Throws UNAVAILABLE.
 */
export async function releaseVersions(ctx: BrokerContext, orgId: string, versions: Version[]): Promise<void> {
  const withBytes = versions.filter(({ size }) => size > 0);
  await Promise.all(withBytes.map((version) => releaseBatched(orgId, { ctx, version })));
}

const releaseBatched = createBatcher(maxBatchSize, async (items: { ctx: BrokerContext; version: Version }[], orgId) => {
  const [first] = items;
  if (!first) return [];
  // A crash may have lost the charge before billing queried it; then the release would lower the gauge by bytes that
  // were never counted. Charging again is idempotent.
  const takes = items.flatMap(({ version }) => version.charges);
  await commitTakes(first.ctx, takes);
  const releases = items.map(({ version: { version: key, size: amount } }) => ({ key, amount }));
  await call(first.ctx.broker, 'billing.quota.release-many', { body: { orgId, meter: storageMeter, releases } });
  return items.map(() => undefined);
});

/**
 * `storage.quota.settle`, called by billing after a crash: counts the bytes stored with each reservation. Bandwidth of
 * a crashed process is not charged.
 */
export const settleQuota = defineAction({
  summary: 'Count the bytes that were stored with reservations of quota',
  permission: 'internal',
  input: settlementInput,
  output: settlementOutput,
  async handler({ body: { orgId, keys } }) {
    return { done: await Promise.all(keys.map(async (key) => ({ key, amount: await bytesOf(orgId, key) }))) };
  },
});

async function bytesOf(orgId: string, key: string): Promise<number> {
  const reservation = readKey(key);
  if (!reservation) return 0;
  const { version, chargedFor } = reservation;
  const object = await ObjectModel.findOne({ orgId, versions: version }).lean<ObjectDocument>();
  const found = object && [object, ...object.former].find((one) => one.version === version);
  return found ? chargedFor(found.size) : 0;
}
