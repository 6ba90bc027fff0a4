import { availableParallelism } from 'node:os';
import type { ServiceSchema } from 'moleculer';
import { second } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { settings } from '../../../lib/settings.ts';
import { createTransformer, type Transformer } from './transformer.ts';

const maxWaiting = 256;
/** So that one organization does not take the places of all. */
const maxWaitingOfOne = 64;
const maxWait = 10 * second;
const maxTime = 20 * second;

/** How long a request for a transformed image takes at most, in milliseconds, with its reads and writes. */
export const transformMilliseconds = maxWait + maxTime + 15 * second;

let running: Transformer | null = null;

/** Lets images be transformed while the service runs. Processes start on the first use. */
export function imageTransformerLifecycle(): Partial<ServiceSchema> {
  return {
    started() {
      running = createTransformer({
        processes: settings.IMAGE_PROCESSES ?? Math.max(1, availableParallelism() - 1),
        maxWaiting,
        maxWaitingOfOne,
        maxWaitMilliseconds: maxWait,
        timeoutMilliseconds: maxTime,
      });
    },
    async stopped() {
      const ended = running;
      running = null;
      await ended?.close();
    },
  };
}

/** The transformer of this process; throws UNAVAILABLE while the service does not run. */
export function imageTransformer(): Transformer {
  if (!running) throw apiError('UNAVAILABLE');
  return running;
}
