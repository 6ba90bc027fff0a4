import { availableParallelism } from 'node:os';
import type { Readable } from 'node:stream';
import type { ServiceSchema } from 'moleculer';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import { second } from '../../../lib/data/clock.ts';
import { mebibyte } from '../../../lib/format/bytes.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { endedBy } from '../store/object-store.ts';
import type { Rendered } from './render.ts';
import { TransformError, type TransformFailure } from './transform-error.ts';
import type { Transformation } from './transform-query.ts';
import { closed, createTurns } from './turns.ts';
import { createWorkerPool, jobsOfProcess, WithdrawnError, WorkerExitedError } from './worker-pool.ts';

export type TransformerOptions = {
  /** The maximum of worker processes, each of which transforms one image at a time. */
  processes: number;
  /** The maximum of transforms that wait for a process. */
  maxWaiting: number;
  /** The maximum of waiting transforms of one owner. Default: `maxWaiting`. */
  maxWaitingOfOne?: number;
  /** The time limit to read a source, and the same again for its transform, counted from when its process begins it. */
  timeoutMilliseconds: number;
  /** The maximum time that a transform waits for a process. Default: `timeoutMilliseconds`. */
  maxWaitMilliseconds?: number;
  /** The maximum size of a source, in bytes. Default: 50 MiB. */
  maxInputBytes?: number;
  /** A process ends after this time without work. Default: a minute. */
  idleMilliseconds?: number;
};

/** The transformed image. */
export type Transformed = Rendered;

/** Opens the bytes of an image. May end the stream when the signal aborts. */
export type ImageSource = (signal: AbortSignal) => Promise<Readable>;

export type AboutTransform = {
  /** Default: all transforms have one owner. */
  owner?: string;
  /** A name shared only by sources with equal bytes; a process keeps the last source for the next transform of it. */
  sourceName?: string;
};

export type Transformer = {
  /**
   * Transforms an image as {@link Transformation} specifies. A process receives the next source while it transforms the
   * previous one, so at most two per process are in memory. Owners take turns. AVIF, which takes many times as long as
   * other formats, uses at most half of the processes, or the only one.
   *
   * @throws TransformError, and the error of the source.
   */
  transform: (source: ImageSource, transformation: Transformation, about?: AboutTransform) => Promise<Transformed>;
  /** Returns the ids of the worker processes. */
  pids: () => number[];
  /** Ends the processes and resolves when they have exited. Running and waiting transforms fail with reason `busy`. */
  close: () => Promise<void>;
};

/** Transforms images in separate processes, which start on first use. */
export function createTransformer(options: TransformerOptions): Transformer {
  const { processes, maxWaiting, maxWaitingOfOne = maxWaiting, timeoutMilliseconds } = options;
  const { maxWaitMilliseconds = timeoutMilliseconds } = options;
  const { maxInputBytes = 50 * mebibyte, idleMilliseconds = 60_000 } = options;
  const max = processes * jobsOfProcess;
  // Reserves the other processes for formats that take a fraction of the time.
  const maxHeavy = Math.max(1, Math.floor(processes / 2));
  const turns = createTurns({ max, maxHeavy, maxWaiting, maxWaitingOfOne, maxWaitMilliseconds });
  const pool = createWorkerPool({ processes, idleMilliseconds });
  const running = new Set<AbortController>();

  /** Runs a task with a timeout that starts when it calls `begin`; aborts it when the transformer closes. */
  async function limited<T>(task: (signal: AbortSignal, begin: () => void) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const begin = () => {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(tooSlow(timeoutMilliseconds)), timeoutMilliseconds);
    };
    running.add(controller);
    try {
      if (turns.isClosed()) throw closed();
      return await task(controller.signal, begin);
    } finally {
      clearTimeout(timer);
      running.delete(controller);
    }
  }

  // Shorter than the kill timeout, so that the worker can end in time and need not be killed.
  const timeoutSeconds = Math.max(1, Math.ceil(timeoutMilliseconds / 1000) - 1);

  return {
    async transform(source, transformation, { owner = '', sourceName = null } = {}) {
      const endTurn = await turns.take(owner, transformation.format === 'avif');
      try {
        const chunks = await limited((signal, begin) => {
          begin();
          return readSource(source, maxInputBytes, signal);
        });
        const job = { sourceName, source: chunks, transformation, timeoutSeconds };
        return await limited((signal, onBegin) => renderWithRetry(() => pool.run(job, { signal, onBegin }), signal));
      } finally {
        endTurn();
      }
    },
    pids: pool.pids,
    async close() {
      turns.close();
      for (const controller of running) controller.abort(closed());
      await pool.close();
    },
  };
}

function tooSlow(milliseconds: number): TransformError {
  return new TransformError('too-slow', `The transform took longer than ${milliseconds} ms.`);
}

async function readSource(source: ImageSource, maxBytes: number, signal: AbortSignal): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of await openSource(source, signal)) {
      size += chunk.length;
      if (size > maxBytes) throw new TransformError('too-large', `The source has more than ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  signal.throwIfAborted();
  return chunks;
}

/** The stream ends when the signal aborts, even if it is opened only afterwards. */
function openSource(source: ImageSource, signal: AbortSignal): Promise<Readable> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    source(signal)
      .then((stream) => resolve(endedBy(signal, stream)), reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

const maxExits = 2;

/**
 * Retries once in another process, because a process may be killed for another image, for example one that filled the
 * memory.
 */
async function renderWithRetry(render: () => Promise<Rendered>, signal: AbortSignal): Promise<Rendered> {
  for (let exits = 0; ; ) {
    try {
      signal.throwIfAborted();
      return await render();
    } catch (error) {
      if (error instanceof WithdrawnError) continue;
      if (!(error instanceof WorkerExitedError)) throw error;
      exits += 1;
      if (exits < maxExits) continue;
      throw new TransformError('failed', 'Two worker processes ended during the transform.', { cause: error });
    }
  }
}

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

const refusals: Record<TransformFailure, (path: string) => Error> = {
  busy: () =>
    apiError('RATE_LIMITED', { message: 'Too many images are being transformed; try again in a few seconds.' }),
  unreadable: (path) => inputError([{ path, message: 'The image is damaged or has an unsupported format.' }]),
  'too-large': (path) =>
    inputError([{ path, message: 'The image must have at most 50 MiB, and 50 megapixels over all frames.' }]),
  'too-slow': () => apiError('UNAVAILABLE'),
  failed: () => apiError('UNAVAILABLE'),
};

/** The error of the catalogue for a failed transform; any other error as it is. `path`: the field that it names. */
export function transformRefusal(error: unknown, path: string): unknown {
  return error instanceof TransformError ? refusals[error.reason](path) : error;
}
