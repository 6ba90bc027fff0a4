import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'moleculer';
import { z } from 'zod';
import { createBatcher } from '../concurrency/batcher.ts';
import { ArraySet } from '../concurrency/churn.ts';
import { chunk } from '../concurrency/concurrently.ts';
import { type CallInput, type CallOutput, call } from '../contract/context.ts';
import { errorCatalogue, errorCode } from '../contract/errors.ts';
import { hour, minute, now } from '../data/clock.ts';
import { idPattern } from '../data/ids.ts';
import { type Meter, requireTaken } from './quota-refusal.ts';

type Commit = CallInput<'billing.quota.commit'>['body']['takes'][number];
export type Receipt = Commit['receipt'];

/** The context of a service that uses a quota. The service has the action `<service>.quota.settle`. */
export type QuotaCaller = Pick<Context, 'broker' | 'service'>;

type Caller = Pick<Context, 'broker'>;
type Waiting = { ctx: Caller; commit: Commit };

const maxCommitBatch = 200;
const inFlight = new ArraySet<Promise<void>>();

const commitBatched = createBatcher(maxCommitBatch, async (waiting: Waiting[], lane) => {
  const [first] = waiting;
  // No caller waits for a commit, so it yields to the reservations of this turn of the event loop.
  if (lane === 'commit') await nextTurn();
  if (first && lane === 'commit')
    await call(first.ctx.broker, 'billing.quota.commit', { body: { takes: waiting.map(({ commit }) => commit) } });
  if (first && lane === 'refund')
    await call(first.ctx.broker, 'billing.quota.refund', {
      body: { takes: waiting.map(({ commit }) => commit.receipt) },
    });
  return waiting.map(() => undefined);
});

/** The maximum number of reservations in one call to billing. */
const maxTakes = 500;

/** Commits reserved units; idempotent. Throws UNAVAILABLE. */
export async function commitTakes({ broker }: Caller, takes: Commit[]): Promise<void> {
  for (const part of chunk(takes, maxTakes)) await call(broker, 'billing.quota.commit', { body: { takes: part } });
}

/** Commits reserved units after the work. The caller does not wait; the sweep settles a commit that is lost. */
export function commitInBackground(ctx: Caller, commit: Commit): void {
  sendInBackground('commit', ctx, commit);
}

/** Refunds reserved units of work that was not done. The caller does not wait. */
export function refundInBackground(ctx: Caller, receipt: Receipt): void {
  sendInBackground('refund', ctx, { receipt });
}

/** Resolves when the commits and refunds of this process that are now in flight have succeeded or failed. */
export async function drainQuotaCommits(): Promise<void> {
  await Promise.all(inFlight);
}

function sendInBackground(lane: 'commit' | 'refund', ctx: Caller, commit: Commit): void {
  const sending = commitBatched(lane, { ctx, commit })
    .catch((error: unknown) => {
      ctx.broker.logger.warn('Quota commit failed; the reservation stays until it is reconciled', { error });
    })
    .finally(() => inFlight.delete(sending));
  inFlight.add(sending);
}

/** How long billing keeps a reservation that is not renewed. */
export const leaseDuration = 5 * minute;
/** The holder treats a lease as expired this much earlier, to cover writes in flight and clock drift. */
const safetyMargin = minute;
const renewalInterval = minute;
/** Work that takes longer is considered hung: its lease is not renewed and expires. */
const defaultLeaseAge = hour;
const maxRenewals = 500;

/** The lease on a reservation. The process renews it each minute until it ends, for at most an hour by default. */
export type Lease = {
  /** Whether billing still keeps the reservation. Check it right before each write that uses its units. */
  isHeld: () => boolean;
  /** Stops the renewal when the work has ended. */
  end: () => void;
};

/**
 * An instant on two clocks: the monotonic one may stop while the machine sleeps, and the wall clock may be set back.
 */
export type LeaseInstant = { monotonic: number; wall: number };

type HeldLease = {
  ctx: QuotaCaller;
  receipt: Receipt;
  startedAt: LeaseInstant;
  renewedAt: LeaseInstant;
  maxAge: number;
  isLost: boolean;
};

const leases = new ArraySet<HeldLease>();
let timer: NodeJS.Timeout | undefined;

export const leaseInstant = (): LeaseInstant => ({ monotonic: performance.now(), wall: now().getTime() });

/**
 * Starts to renew the lease of a reservation. Read `requestedAt` before the call to billing that makes the reservation.
 * `maxAge` is in milliseconds; it may be infinite for work with another watchdog, such as a transfer.
 */
export function startLease(
  ctx: QuotaCaller,
  receipt: Receipt,
  requestedAt: LeaseInstant,
  maxAge: number = defaultLeaseAge,
): Lease {
  const held: HeldLease = { ctx, receipt, startedAt: requestedAt, renewedAt: requestedAt, maxAge, isLost: false };
  leases.add(held);
  timer ??= setInterval(() => void renewLeases(), renewalInterval).unref();
  return {
    isHeld: () => !held.isLost && elapsedSince(held.renewedAt) < leaseDuration - safetyMargin,
    end() {
      leases.delete(held);
      if (leases.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/** Renews all leases of this process. After an error the next call retries, until the leases have expired. */
export async function renewLeases(): Promise<void> {
  const all = [...leases].filter(({ startedAt, maxAge }) => elapsedSince(startedAt) < maxAge);
  const byBroker = Map.groupBy(all, ({ ctx }) => ctx.broker);
  for (const ofBroker of byBroker.values()) {
    for (const some of chunk(ofBroker, maxRenewals)) await renew(some);
  }
}

async function renew(some: HeldLease[]): Promise<void> {
  const [first] = some;
  if (!first) return;
  const requestedAt = leaseInstant();
  try {
    const body = { takes: some.map(({ receipt }) => receipt) };
    const { held } = await call(first.ctx.broker, 'billing.quota.renew', { body });
    for (const [place, lease] of some.entries()) {
      if (held[place]) lease.renewedAt = requestedAt;
      else lease.isLost = true;
    }
  } catch (error) {
    first.ctx.broker.logger.warn('The leases of quota reservations were not renewed', { error });
  }
}

/** The elapsed milliseconds, by the clock that shows more. */
export function elapsedSince({ monotonic, wall }: LeaseInstant): number {
  const at = leaseInstant();
  return Math.max(at.monotonic - monotonic, at.wall - wall);
}

/**
 * The input and output of `<service>.quota.settle`: billing requests the number of used units of each reservation, by
 * key.
 */
export const settlementInput = {
  body: z.strictObject({ orgId: z.string().regex(idPattern('org')), keys: z.array(z.string()) }),
};

export const settlementOutput = z.strictObject({
  done: z.array(z.strictObject({ key: z.string(), amount: z.number() })),
});

type Settlement = z.output<typeof settlementOutput>;

/** Counts the used units of each key in sequence. */
export async function settleEach(keys: string[], countOf: (key: string) => Promise<number>): Promise<Settlement> {
  const done: Settlement['done'] = [];
  for (const key of keys) done.push({ key, amount: await countOf(key) });
  return { done };
}

/** Reports one used unit for each key under which a document is stored. */
export function settleStored(keys: string[], stored: ReadonlySet<string>): Settlement {
  return { done: keys.map((key) => ({ key, amount: stored.has(key) ? 1 : 0 })) };
}

type Take = CallInput<'billing.quota.take'>['body'];
type Granted = CallOutput<'billing.quota.take-many'>['takes'][number];

/**
 * A request for units of a meter, in bytes where the limit is in gigabytes. `meter`: the platform's, or one that the
 * service declares in its `metadata.meters`. `key` identifies the work.
 */
export type QuotaRequest = { orgId: string; meter: Meter; amount: number; key: string };

const maxReserveBatch = 100;

/**
 * Runs work under a plan's quota: reserves the units, runs the work and commits them. When the work throws a catalogue
 * error below 500, the units are refunded. After any other error it is unknown whether the work was done: the units
 * stay reserved until the lease expires five minutes later, and billing then calls the service's `quota.settle`. The
 * lease is renewed while the work runs, for an hour at most. A key is charged once, so the work must be idempotent by
 * its key.
 *
 * @throws PLAN_LIMIT_EXCEEDED with `quota`, SERVICE_NOT_INCLUDED, PAYMENT_REQUIRED, all with `upgradeUrl`; UNAVAILABLE.
 */
export async function withQuota<T>(ctx: QuotaCaller, request: QuotaRequest, work: () => Promise<T>): Promise<T> {
  const requestedAt = leaseInstant();
  const taken = await take(ctx, request);
  const { isFresh } = taken;
  const receipt = requireTaken(taken, request);
  const lease = startLease(ctx, receipt, requestedAt);
  try {
    const result = await work();
    commitInBackground(ctx, { receipt, charged: receipt.amount });
    return result;
  } catch (error) {
    if (isRefusal(error) && isFresh) refundInBackground(ctx, receipt);
    throw error;
  } finally {
    lease.end();
  }
}

type WaitingReservation = { ctx: QuotaCaller; take: Take };

/** Batches the concurrent reservations of this process for one counter into one call. */
const reserveBatched = createBatcher(maxReserveBatch, async (waiting: WaitingReservation[]): Promise<Granted[]> => {
  const [first] = waiting;
  if (!first) return [];
  const { takes } = await call(first.ctx.broker, 'billing.quota.take-many', {
    body: { takes: waiting.map(({ take: one }) => one) },
  });
  return takes;
});

function take(ctx: QuotaCaller, { orgId, meter, amount, key }: QuotaRequest): Promise<Granted> {
  return reserveBatched(`${orgId}:${meter}`, { ctx, take: { orgId, meter, amount, key, owner: ownerOf(ctx) } });
}

export function ownerOf({ service }: QuotaCaller): string {
  if (!service) throw new Error('Only a service can reserve quota.');
  return service.name;
}

/** Whether an error means that the work was not done: a catalogue error with a status below 500. */
function isRefusal(error: unknown): boolean {
  const code = errorCode(error);
  return code !== null && errorCatalogue[code].status < 500;
}
