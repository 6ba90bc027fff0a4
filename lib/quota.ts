import { createBatcher } from './batched.ts';
import { type CallInput, type CallOutput, call } from './calls.ts';
import { errorCatalogue, errorCode } from './errors.ts';
import { commitInBackground, type QuotaCaller, refundInBackground } from './quota-commits.ts';
import { requireTaken } from './quota-errors.ts';
import { leaseInstant, startLease } from './quota-leases.ts';

type Take = CallInput<'billing.quota.take'>['body'];
type Granted = CallOutput<'billing.quota.take-many'>['takes'][number];

export type Meter = Take['meter'];

/** A request for units of a meter, in bytes where the limit is in gigabytes. `key` identifies the work. */
export type QuotaRequest = { orgId: string; meter: Meter; amount: number; key: string };

const maxBatchSize = 100;

/**
 * Runs work under a plan's quota: reserves the units, runs the work and commits them. When the work throws a catalogue
 * error below 500, the units are refunded. After any other error it is unknown whether the work was done: the units
 * stay reserved until the lease expires five minutes later, and billing then calls the service's `quota.settle`. The
 * lease is renewed while the work runs, for an hour at most. A key is charged once, so the work must be idempotent by
 * its key.
 *
 * @throws PLAN_LIMIT_EXCEEDED, SERVICE_NOT_INCLUDED, PAYMENT_REQUIRED with `upgradeUrl`; UNAVAILABLE.
 */
export async function withQuota<T>(ctx: QuotaCaller, request: QuotaRequest, work: () => Promise<T>): Promise<T> {
  const requestedAt = leaseInstant();
  const taken = await take(ctx, request);
  const { isFresh } = taken;
  const receipt = requireTaken(taken, request.orgId);
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

type Waiting = { ctx: QuotaCaller; take: Take };

/** Batches the concurrent reservations of this process for one counter into one call. */
const reserveBatched = createBatcher(maxBatchSize, async (waiting: Waiting[]): Promise<Granted[]> => {
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
