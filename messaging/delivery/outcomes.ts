import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { isDatabaseUnreachable } from '../../lib/database-errors.ts';
import { gather } from '../../lib/gather.ts';
import type { AttemptOutcome } from './attempt.ts';
import type { Deliverer } from './deliverer.ts';
import type { DeliveryFields } from './documents.ts';
import type { Claim, Outcome, Queue } from './queue.ts';

const maxTogether = 200;
const gatheredMilliseconds = 5;
const maxTries = 40;
const pauseMilliseconds = 250;

/**
 * Stores the outcomes of attempts, concurrent ones in one command. Resolves also when that fails: the document is found
 * at the end of its lease.
 */
export function createOutcomes<D extends DeliveryFields>(
  queue: Queue<D>,
  { died, stored }: Pick<Deliverer<D>, 'died' | 'stored'>,
  logger: Logger,
): (claim: Claim<D>, outcome: AttemptOutcome) => Promise<void> {
  const settleTogether = gather(maxTogether, async (outcomes: Outcome<D>[]) => {
    await whileUnreachable(() => queue.settleAll(outcomes));
    // Those of the next moment make one command, which costs the database hardly more than one outcome.
    await wait(gatheredMilliseconds);
    return outcomes.map(() => null);
  });

  return async (claim, { fields, died: failure }) => {
    try {
      if (failure === undefined) await settleTogether('', { claim, fields });
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
      if (tries === maxTries || !isDatabaseUnreachable(error)) throw error;
      await wait(pauseMilliseconds);
    }
  }
}
