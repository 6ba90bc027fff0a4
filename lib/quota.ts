import { type CallInput, type CallOutput, call } from './calls.ts';
import { errorCatalogue, errorCode } from './errors.ts';
import { gather } from './gather.ts';
import { type Asking, commitLater, refundLater } from './quota-ends.ts';
import { type QuotaRefusal, quotaError } from './quota-errors.ts';
import { leaseInstant, startLease } from './quota-leases.ts';

type Take = CallInput<'billing.quota.take'>['body'];
type Granted = CallOutput<'billing.quota.take-many'>['takes'][number];

export type Meter = Take['meter'];

/** Units of a meter for work that a key names; bytes where the limit is in gigabytes. */
export type QuotaAsk = { orgId: string; meter: Meter; amount: number; key: string };

const maxBatchSize = 100;

/**
 * Does work that a plan bounds: takes the units, works, and charges them; when the work is refused they are given back.
 * When it fails otherwise nobody can say whether it was done, so the units are held until the service's
 * `quota.settle` is asked, five minutes later. The reservation is renewed while the work goes on, for an hour at most.
 * The same key again is charged once: the work is to be idempotent by it.
 *
 * @throws PLAN_LIMIT_EXCEEDED, SERVICE_NOT_INCLUDED, PAYMENT_REQUIRED with `upgradeUrl`; UNAVAILABLE.
 */
export async function withQuota<T>(ctx: Asking, ask: QuotaAsk, work: () => Promise<T>): Promise<T> {
  const requestedAt = leaseInstant();
  const { outcome, receipt, isFresh } = await take(ctx, ask);
  if (outcome !== 'taken' || !receipt) throw quotaError(outcome as QuotaRefusal, ask.orgId);
  const lease = startLease(ctx, receipt, requestedAt);
  try {
    const result = await work();
    commitLater(ctx, { receipt, charged: receipt.amount });
    return result;
  } catch (error) {
    if (isRefusal(error) && isFresh) refundLater(ctx, receipt);
    throw error;
  } finally {
    lease.end();
  }
}

type Waiting = { ctx: Asking; take: Take };

/** What one service of this process asks of a counter at one moment is one call. */
const takeTogether = gather(maxBatchSize, async (waiting: Waiting[]): Promise<Granted[]> => {
  const [first] = waiting;
  if (!first) return [];
  const { takes } = await call(first.ctx.broker, 'billing.quota.take-many', {
    body: { takes: waiting.map(({ take: one }) => one) },
  });
  return takes;
});

function take(ctx: Asking, { orgId, meter, amount, key }: QuotaAsk): Promise<Granted> {
  return takeTogether(`${orgId}:${meter}`, { ctx, take: { orgId, meter, amount, key, owner: ownerOf(ctx) } });
}

export function ownerOf({ service }: Asking): string {
  if (!service) throw new Error('Quotas are taken by a service.');
  return service.name;
}

/** Whether the work said that it was not done: a refusal of the catalogue that is no failure of ours. */
function isRefusal(error: unknown): boolean {
  const code = errorCode(error);
  return code !== null && errorCatalogue[code].status < 500;
}
