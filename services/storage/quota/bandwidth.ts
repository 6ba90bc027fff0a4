import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { drainQuotaCommits, type QuotaCaller, refundInBackground } from '../../../lib/clients/quota.ts';
import { withQuotaAllocation } from '../../../lib/clients/quota-batches.ts';
import { quotaError, requireTaken } from '../../../lib/clients/quota-refusal.ts';
import { call } from '../../../lib/contract/context.ts';
import { isError } from '../../../lib/contract/errors.ts';
import { second } from '../../../lib/data/clock.ts';
import { mebibyte } from '../../../lib/format/bytes.ts';

const meter = 'storage.bandwidthGbPerMonth';
const kibibyte = 1024;
/** In bytes. Each further step is twice the previous one; a slow step resets the size. */
export const firstStep = 256 * kibibyte;
const maxStep = 8 * mebibyte;
/** Maximum age of a step: it is then committed for the bytes sent, and the rest is released. */
const maxStepAge = 30 * second;
/** How long a started transfer waits while billing is unavailable. */
const maxOutage = 30 * second;
const retryDelay = second / 2;
/** The maximum that a busy node prefetches for many transfers. */
const maxPrefetch = 1_000_000_000;
/**
 * The minimum reservation to create an image; otherwise the rest of a plan's bandwidth could be spent on creating
 * images.
 */
const minImagePrefetch = 64 * kibibyte;

/** A reservation of bandwidth in bytes. */
type Reserved = { bytes: number; end: (sent: number) => void };
type Request = { ctx: QuotaCaller; orgId: string };

/**
 * The bandwidth of one transfer. Reserved in steps and committed during the transfer, so that a slow reader holds
 * little of the quota, and a transfer of hours is charged.
 */
export type Bandwidth = {
  /**
   * Reserves more bytes unless the next ones are reserved already. Throws PLAN_LIMIT_EXCEEDED and other quota errors.
   */
  admit: (bytes: number) => Promise<void> | undefined;
  /** Commits the uncommitted sent bytes and releases the rest. `sent` is the total of the transfer. */
  end: (sent: number) => void;
};

type Open = { step: Reserved & { openedAt: number }; used: number };
type Transfer = { open: Open | null; settle: () => void };

const transfers = new Set<Transfer>();
let sweeps: NodeJS.Timeout | undefined;

/**
 * Opens the bandwidth of a transfer of `size` bytes with its first step.
 *
 * @throws PLAN_LIMIT_EXCEEDED fewer bytes are available; SERVICE_NOT_INCLUDED, PAYMENT_REQUIRED, UNAVAILABLE
 */
export async function openBandwidth(ctx: QuotaCaller, orgId: string, size: number): Promise<Bandwidth> {
  const request = { ctx, orgId };
  if (size > firstStep) await afterReleases(() => requireLeft(request, size));
  const first = await afterReleases(() => reserve(request, Math.min(firstStep, size)));
  let stepSize = firstStep;
  let committed = 0;
  const transfer: Transfer = { open: opened(first), settle };
  watch(transfer);

  function settle(): void {
    if (!transfer.open) return;
    const { step, used } = transfer.open;
    transfer.open = null;
    committed += used;
    step.end(used);
  }

  async function next(bytes: number): Promise<void> {
    const isSlow = !transfer.open || isOld(transfer.open);
    settle();
    stepSize = isSlow ? firstStep : Math.min(stepSize * 2, maxStep);
    const remaining = size - committed;
    const amount = Math.max(bytes, Math.min(stepSize, remaining));
    transfer.open = opened(await reserveNext(request, amount, Math.min(bytes, remaining)), bytes);
  }

  return {
    admit(bytes) {
      const { open } = transfer;
      if (!open || open.used + bytes > open.step.bytes) return next(bytes);
      open.used += bytes;
      return undefined;
    },
    end(sent) {
      unwatch(transfer);
      transfer.open?.step.end(Math.max(sent - committed, 0));
      transfer.open = null;
    },
  };
}

/** Creates an image while bandwidth for a part of it is reserved. Throws as above. */
export async function withBandwidthFor<T>(ctx: QuotaCaller, orgId: string, work: () => Promise<T>): Promise<T> {
  const reserved = await reserve({ ctx, orgId }, minImagePrefetch);
  try {
    return await work();
  } finally {
    reserved.end(0);
  }
}

const opened = (step: Reserved, used = 0): Open => ({ step: { ...step, openedAt: performance.now() }, used });
const isOld = ({ step }: Open): boolean => performance.now() - step.openedAt >= maxStepAge;

/** Commits old steps by one timer for all transfers, because a stalled reader runs no code of its transfer. */
function watch(transfer: Transfer): void {
  transfers.add(transfer);
  sweeps ??= setInterval(() => {
    for (const { open, settle } of transfers) if (open && isOld(open)) settle();
  }, maxStepAge / 2).unref();
}

function unwatch(transfer: Transfer): void {
  transfers.delete(transfer);
  if (transfers.size > 0) return;
  clearInterval(sweeps);
  sweeps = undefined;
}

/** Throws unless this many bytes are available, so that a transfer is rejected before its first byte is sent. */
async function requireLeft({ ctx, orgId }: Request, bytes: number): Promise<void> {
  const taken = await call(ctx.broker, 'billing.quota.take', {
    body: { orgId, meter, amount: bytes, key: `whole:${randomUUID()}`, owner: 'storage', remember: false },
  });
  refundInBackground(ctx, requireTaken(taken, { orgId, meter }));
}

/** Reserves a further step. A started transfer survives a short outage of billing. */
async function reserveNext(request: Request, bytes: number, least: number): Promise<Reserved> {
  const until = performance.now() + maxOutage;
  for (;;) {
    try {
      return await afterReleases(() => reserve(request, bytes, least));
    } catch (error) {
      if (!isError(error, 'UNAVAILABLE') || performance.now() >= until) throw error;
      await wait(retryDelay);
    }
  }
}

/**
 * Retries a rejected reservation once after billing has received this process's releases. Until then the limit counts
 * those bytes, and a transfer that just fits would be rejected.
 */
async function afterReleases<T>(reserving: () => Promise<T>): Promise<T> {
  try {
    return await reserving();
  } catch (error) {
    if (!isError(error, 'PLAN_LIMIT_EXCEEDED')) throw error;
    await drainQuotaCommits();
    return await reserving();
  }
}

/** Reserves bytes, or the available ones if these are at least `least`. */
async function reserve({ ctx, orgId }: Request, bytes: number, least = bytes): Promise<Reserved> {
  const granted = Promise.withResolvers<number>();
  const ended = Promise.withResolvers<number>();
  withQuotaAllocation(ctx, { orgId, meter, amount: bytes, maxPrefetch }, async (allocation) => {
    if (allocation.granted < least) {
      granted.reject(quotaError(allocation.refusal ?? { reason: 'exceeded', quota: null }, orgId));
      return { result: undefined, charged: 0 };
    }
    granted.resolve(allocation.granted);
    return { result: undefined, charged: Math.min(await ended.promise, allocation.granted) };
  }).catch(granted.reject);
  return { bytes: await granted.promise, end: ended.resolve };
}
