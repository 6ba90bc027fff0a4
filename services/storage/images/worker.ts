import process from 'node:process';
import { mebibyte } from '../../../lib/format/bytes.ts';
import type { Rendered } from './render.ts';
import { TransformError, type TransformFailure } from './transform-error.ts';
import type { Transformation } from './transform-query.ts';

/** `size` is the source's, in bytes; null to use the source of the previous job. */
type JobMessage = { id: number; size: number | null; transformation: Transformation; timeoutSeconds: number };

/** The messages to the worker process, after it has sent `ready`: a job, or a job to skip. */
export type WorkerMessage = JobMessage | { dropped: number };

/** The messages from the worker process: one per job, in order. */
export type Report =
  | { kind: 'ready' }
  | { kind: 'rendered'; rendered: Rendered }
  | { kind: 'failed'; reason: TransformFailure; message: string }
  | { kind: 'dropped' };

/** The bytes of an image, the number of jobs that still need them, and whether a newer source has arrived. */
type Source = { bytes: Buffer; jobs: number; isReplaced: boolean };

/** A buffer large enough for most sources, reused because the system must zero new memory. */
const defaultBytes = 8 * mebibyte;
const maxFree = 2;
const free: Buffer[] = [];

/** Jobs that have not started. */
const waiting = new Set<number>();
/** The last source: several images are often created from one at the same time. */
let last: Promise<Source> = Promise.resolve({ bytes: Buffer.alloc(0), jobs: 0, isReplaced: false });
let reported: Promise<void> = Promise.resolve();

// Exits immediately, even during a transform, when the parent has closed the channel or exited.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

// Imported here, so that a failure, such as binaries for another system, is reported as a failure of the jobs.
const loading = import('./render.ts');
loading.catch(() => undefined);

process.on('message', (message: WorkerMessage) => {
  if ('dropped' in message) {
    waiting.delete(message.dropped);
    return;
  }
  waiting.add(message.id);
  // Reads the source of the next job while libvips transforms the previous one.
  const source = last.then((before) => nextSource(before, message.size));
  last = source;
  reported = reported.then(async () => {
    const next = await source;
    send(await perform(message, next.bytes));
    next.jobs -= 1;
    if (next.isReplaced) recycle(next);
  });
});

send({ kind: 'ready' });

async function perform({ id, transformation, timeoutSeconds }: JobMessage, source: Buffer): Promise<Report> {
  try {
    if (!waiting.delete(id)) return { kind: 'dropped' };
    const { render } = await loading;
    return { kind: 'rendered', rendered: await render(source, transformation, timeoutSeconds) };
  } catch (error) {
    const reason = error instanceof TransformError ? error.reason : 'failed';
    return { kind: 'failed', reason, message: error instanceof Error ? error.message : String(error) };
  }
}

async function nextSource(before: Source, size: number | null): Promise<Source> {
  if (size !== null) {
    before.isReplaced = true;
    recycle(before);
    return { bytes: await readSource(size), jobs: 1, isReplaced: false };
  }
  before.jobs += 1;
  return before;
}

function recycle({ bytes, jobs }: Source): void {
  const whole = Buffer.from(bytes.buffer);
  if (jobs === 0 && whole.length === defaultBytes && free.length < maxFree) free.push(whole);
}

/** Reads the source from standard input, which costs half as much time as the message channel. */
function readSource(size: number): Promise<Buffer> {
  const whole =
    size <= defaultBytes ? (free.pop() ?? Buffer.allocUnsafeSlow(defaultBytes)) : Buffer.allocUnsafeSlow(size);
  const source = whole.subarray(0, size);
  let filled = 0;
  return new Promise((resolve) => {
    const take = (chunk: Buffer) => {
      const taken = chunk.copy(source, filled);
      filled += taken;
      if (filled < size) return;
      process.stdin.off('data', take).pause();
      // The rest belongs to the next source.
      if (taken < chunk.length) process.stdin.unshift(chunk.subarray(taken));
      resolve(source);
    };
    if (size === 0) resolve(source);
    else process.stdin.on('data', take).resume();
  });
}

function send(report: Report): void {
  process.send?.(report);
}
