import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'moleculer';
import { type CallInput, call } from './calls.ts';
import { gather } from './gather.ts';

type Commit = CallInput<'billing.quota.commit'>['body']['takes'][number];
export type Receipt = Commit['receipt'];

/** The service that asks; it answers `<service>.quota.settle`. */
export type Asking = Pick<Context, 'broker' | 'service'>;

type Ending = Pick<Context, 'broker'>;
type Waiting = { ctx: Ending; commit: Commit };

const maxBatchSize = 200;
const underWay = new Set<Promise<void>>();

const endTogether = gather(maxBatchSize, async (waiting: Waiting[], lane) => {
  const [first] = waiting;
  // Nobody waits for a charge: what is taken next is on its way to the database before it.
  if (lane === 'commit') await nextTurn();
  if (first && lane === 'commit')
    await call(first.ctx.broker, 'billing.quota.commit', { body: { takes: waiting.map(({ commit }) => commit) } });
  if (first && lane === 'refund')
    await call(first.ctx.broker, 'billing.quota.refund', {
      body: { takes: waiting.map(({ commit }) => commit.receipt) },
    });
  return waiting.map(() => undefined);
});

/** Charges what was taken, for work that was done. Nobody waits for it: what is lost of it the sweep makes good. */
export function commitLater(ctx: Ending, commit: Commit): void {
  endLater('commit', ctx, commit);
}

/** Gives back what was taken, for work that was not done. */
export function refundLater(ctx: Ending, receipt: Receipt): void {
  endLater('refund', ctx, { receipt });
}

/** Resolves when what this process had to charge and to give back until now has been, or could not be. */
export async function endsUnderWay(): Promise<void> {
  await Promise.all(underWay);
}

function endLater(lane: 'commit' | 'refund', ctx: Ending, commit: Commit): void {
  const ending = endTogether(lane, { ctx, commit })
    .catch((error: unknown) => {
      ctx.broker.logger.warn('What was taken of a quota is held until its owner is asked', { error });
    })
    .finally(() => underWay.delete(ending));
  underWay.add(ending);
}
