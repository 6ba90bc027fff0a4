import { mebibyte } from '../../../lib/bytes.ts';
import { call } from '../../../lib/calls.ts';
import { commitInBackground, type QuotaCaller, type Receipt, refundInBackground } from '../../../lib/quota-commits.ts';
import { requireTaken } from '../../../lib/quota-errors.ts';
import { type Lease, leaseInstant, startLease } from '../../../lib/quota-leases.ts';
import type { Charge } from '../../../models/storage/object.ts';

export const storageMeter = 'storage.storageGb';

/** The largest first reservation ahead of the bytes that have arrived; each next one is at most twice the previous. */
const firstStep = mebibyte;
const maxStep = 256 * mebibyte;
/**
 * At most this share of what is left is reserved ahead, so that near the limit other uploads have room for the bytes
 * that they need.
 */
const maxPrefetchShare = 1 / 8;

/** The bytes that an upload has reserved of its organization's quota. */
export type ByteReservation = {
  /** Reserves more where fewer than so many bytes are. Throws PLAN_LIMIT_EXCEEDED and the other errors of a quota. */
  cover: (bytes: number) => Promise<void>;
  /** Whether billing keeps all of it: check it right before the write that uses the bytes. */
  isHeld: () => boolean;
  /** What is charged of it for so many bytes. */
  chargesFor: (bytes: number) => Charge[];
  /** Charges for an upload that was done. */
  commit: (charges: Charge[]) => void;
  /** Gives everything back, for an upload that was not done. */
  refund: () => void;
  /** Leaves it to billing, which asks later what was stored; for an upload of which that is not known. */
  leave: () => void;
};

type Part = { receipt: Receipt; lease: Lease; from: number };

/**
 * Reserves bytes for one version. The leases are renewed for as long as the upload takes, because the listener ends one
 * that does not move.
 *
 * @param size - in bytes; null where it is not known before. Then the bytes are reserved step by step: those that have
 * arrived and, while there is plenty, some ahead. So exactly as many fit as the plan has.
 */
export function reserveBytes(ctx: QuotaCaller, orgId: string, version: string, size: number | null): ByteReservation {
  const parts: Part[] = [];
  let reserved = 0;
  let step = firstStep;

  /** Bytes left before the limit when they were last reserved; 0 before. */
  let left = 0;

  /** Takes `amount` bytes, or the `needed` ones where others have taken the rest since it was last asked. */
  async function take(needed: number, amount = needed): Promise<void> {
    const requestedAt = leaseInstant();
    const key = keyOf({ version, from: reserved, amount });
    const taken = await call(ctx.broker, 'billing.quota.take', {
      body: { orgId, meter: storageMeter, amount, key, owner: 'storage', remember: false },
    });
    if (taken.outcome === 'exceeded' && amount > needed) return await take(needed);
    const receipt = requireTaken(taken, orgId);
    parts.push({ receipt, lease: startLease(ctx, receipt, requestedAt, Number.POSITIVE_INFINITY), from: reserved });
    reserved += receipt.amount;
    left = taken.limit === null ? 0 : Math.max(0, taken.limit - taken.used);
  }

  return {
    async cover(bytes) {
      if (size !== null && reserved === 0 && size > 0) await take(size);
      if (reserved >= bytes) return;
      const ahead = Math.floor(Math.min(step, left * maxPrefetchShare));
      if (left > 0) step = Math.min(step * 2, maxStep);
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

/** How many of the bytes lie in a part of so many that begins at an offset. */
const within = (bytes: number, from: number, amount: number): number => Math.min(Math.max(bytes - from, 0), amount);

type Key = { version: string; from: number; amount: number };

/** The key of a reservation, from which billing's question after a crash is answered. */
const keyOf = ({ version, from, amount }: Key): string => `${version}:${from}:${amount}`;

/** The version of a reservation's key, and how many of a version's bytes it is for; null for another key. */
export function readKey(key: string): { version: string; chargedFor: (size: number) => number } | null {
  const [, version, from, amount] = /^(ver_[0-9a-z]+):(\d+):(\d+)$/.exec(key) ?? [];
  if (version === undefined) return null;
  return { version, chargedFor: (size) => within(size, Number(from), Number(amount)) };
}
