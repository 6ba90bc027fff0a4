import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { createBatcher } from '../../lib/batched.ts';
import { isDatabaseUnable, isDatabaseUnreachable } from '../../lib/database-errors.ts';
import type { AttemptOutcome } from './attempt.ts';
import type { DeliveryHandler } from './deliverer.ts';
import type { DeliveryFields } from './documents.ts';
import type { Claim, Outcome, Queue } from './queue.ts';

const maxBatchSize = 200;
const coalesceWindowMs = 15;
const maxTries = 40;
/** What the database refuses so often it would refuse always. */
const maxRefusals = 8;
const pauseMilliseconds = 250;

/**
 * Stores the outcomes of attempts, concurrent ones in one command. One that the database refuses is stored again and
 * fails alone. Resolves also when one cannot be stored: the document is found at the end of its lease.
 */
export function createOutcomes<D extends DeliveryFields>(
  queue: Pick<Queue<D>, 'settle' | 'settleAll'>,
  { onDeadLetter: died, stored }: Pick<DeliveryHandler<D>, 'onDeadLetter' | 'stored'>,
  logger: Pick<Logger, 'warn'>,
): (claim: Claim<D>, outcome: AttemptOutcome) => Promise<void> {
  /** Gives for each outcome the error that it was not stored for; null when it was. */
  const settleTogether = createBatcher(maxBatchSize, async (outcomes: Outcome<D>[]): Promise<unknown[]> => {
    const errors = await settleEach(outcomes);
    // Those of the next moment make one command, which costs the database hardly more than one outcome.
    await wait(coalesceWindowMs);
    return errors;
  });

  async function settleEach(outcomes: Outcome<D>[]): Promise<unknown[]> {
    try {
      const refused = await whileUnreachable(() => queue.settleAll(outcomes));
      return outcomes.map((outcome) => refused.get(outcome) ?? null);
    } catch {
      // One of them may be what cannot be sent or stored; each by itself shows which.
      const alone = outcomes.map((outcome) => whileUnreachable(() => queue.settle(outcome)));
      return (await Promise.allSettled(alone)).map((end) => (end.status === 'rejected' ? end.reason : null));
    }
  }

  async function settle(outcome: Outcome<D>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const error = await settleTogether('', outcome);
      if (error === null) return;
      if (tries === maxRefusals) throw error;
      await wait(pauseMilliseconds);
    }
  }

  return async (claim, { fields, died: failure }) => {
    try {
      if (failure === undefined) await settle({ claim, fields });
      // What follows a dead letter happens once, so whether this one has stored it has to be known.
      else if (await whileUnreachable(() => queue.settle({ claim, fields }))) await died?.(claim, failure);
      stored?.(claim);
    } catch (error) {
      logger.warn('The outcome of a delivery could not be stored', { id: claim._id, error });
    }
  };
}

/** Tries again while the database is briefly unavailable: what was sent without a stored outcome would be sent again. */
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
