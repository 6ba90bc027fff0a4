import { availableParallelism } from 'node:os';
import type { ServiceSchema } from 'moleculer';
import { second } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { settings } from '../../../lib/settings.ts';
import { createTransformer, type Transformer } from './transformer.ts';

const maxWaiting = 256;
/** The maximum of waiting transforms per organization, so that one cannot fill the queue. */
const maxWaitingOfOne = 64;
const maxWait = 10 * second;
const maxTime = 20 * second;

/** The maximum duration of a request for a transformed image, in milliseconds, including reads and writes. */
export const transformMilliseconds = maxWait + maxTime + 15 * second;

let running: Transformer | null = null;

/** Runs the image transformer while the service runs. Worker processes start on first use. */
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
