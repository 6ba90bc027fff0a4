import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'moleculer';
import { createBatcher } from './batched.ts';
import { type CallInput, call } from './calls.ts';
import { ArraySet } from './churn.ts';
import { chunk } from './in-parts.ts';

type Commit = CallInput<'billing.quota.commit'>['body']['takes'][number];
export type Receipt = Commit['receipt'];

/** The context of a service that uses a quota. The service has the action `<service>.quota.settle`. */
export type QuotaCaller = Pick<Context, 'broker' | 'service'>;

type Caller = Pick<Context, 'broker'>;
type Waiting = { ctx: Caller; commit: Commit };

const maxBatchSize = 200;
const inFlight = new ArraySet<Promise<void>>();

const commitBatched = createBatcher(maxBatchSize, async (waiting: Waiting[], lane) => {
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
