import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { createBatcher } from '../../lib/concurrency/batcher.ts';
import { isDatabaseUnable, isDatabaseUnreachable } from '../../lib/data/database-errors.ts';
import type { AttemptOutcome } from './attempt.ts';
import type { DeliveryHandler } from './deliverer.ts';
import type { DeliveryFields } from './documents.ts';
import type { Claim, Outcome, Queue } from './queue.ts';

const maxBatchSize = 200;
const coalesceWindowMs = 15;
const maxTries = 40;
/** Gives up after this many rejections: the database would always reject the outcome. */
const maxRefusals = 8;
const pauseMilliseconds = 250;

/**
 * Stores the outcomes of attempts, concurrent ones in one command. An outcome that the database rejects is retried and
 * fails alone. Resolves even if it cannot be stored: the document is queued again when its lease expires.
 */
export function createOutcomes<D extends DeliveryFields>(
  queue: Pick<Queue<D>, 'settle' | 'settleAll'>,
  { onDeadLetter: died, stored }: Pick<DeliveryHandler<D>, 'onDeadLetter' | 'stored'>,
  logger: Pick<Logger, 'warn'>,
): (claim: Claim<D>, outcome: AttemptOutcome) => Promise<void> {
  /** Returns for each outcome the error that prevented storing it, or null. */
  const settleBatched = createBatcher(maxBatchSize, async (outcomes: Outcome<D>[]): Promise<unknown[]> => {
    const errors = await settleEach(outcomes);
    // Outcomes of the next window form one command, which costs the database hardly more than one outcome.
    await wait(coalesceWindowMs);
    return errors;
  });

  async function settleEach(outcomes: Outcome<D>[]): Promise<unknown[]> {
    try {
      const refused = await whileUnreachable(() => queue.settleAll(outcomes));
      return outcomes.map((outcome) => refused.get(outcome) ?? null);
    } catch {
      // One outcome may be the cause; storing each separately shows which.
      const alone = outcomes.map((outcome) => whileUnreachable(() => queue.settle(outcome)));
      return (await Promise.allSettled(alone)).map((end) => (end.status === 'rejected' ? end.reason : null));
    }
  }

  async function settle(outcome: Outcome<D>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const error = await settleBatched('', outcome);
      if (error === null) return;
      if (tries === maxRefusals) throw error;
      await wait(pauseMilliseconds);
    }
  }

  return async (claim, { fields, died: failure }) => {
    try {
      if (failure === undefined) await settle({ claim, fields });
      // The handler of a dead letter runs once, so only the call that stored the outcome may run it.
      else if (await whileUnreachable(() => queue.settle({ claim, fields }))) await died?.(claim, failure);
      stored?.(claim);
    } catch (error) {
      logger.warn('Delivery outcome could not be stored; it is sent again when its lease expires', {
        id: claim._id,
        error,
      });
    }
  };
}

/** Retries while the database is briefly unavailable: a delivery without a stored outcome would be sent again. */
async function whileUnreachable<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxTries || !(isDatabaseUnreachable(error) || isDatabaseUnable(error))) throw error;
      await wait(pauseMilliseconds);
    }
  }
}
