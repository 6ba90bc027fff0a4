import process from 'node:process';
import { mebibyte } from '../../../lib/bytes.ts';
import type { Rendered } from './render.ts';
import { TransformError, type TransformFailure } from './transform-error.ts';
import type { Transformation } from './transform-query.ts';

/** `size` is the source's, in bytes; null for the source of the job before. */
type JobMessage = { id: number; size: number | null; wanted: Transformation; timeoutSeconds: number };

/** What the worker process receives, after it has sent `ready`: a job, or that one shall be passed over. */
export type WorkerMessage = JobMessage | { dropped: number };

/** What the worker process sends: one for each job, in their order. */
export type Report =
  | { kind: 'ready' }
  | { kind: 'rendered'; rendered: Rendered }
  | { kind: 'failed'; reason: TransformFailure; message: string }
  | { kind: 'dropped' };

/** The bytes of an image, how many jobs still need them, and whether another source has come since. */
type Source = { bytes: Buffer; jobs: number; isReplaced: boolean };

/** Memory for most sources, used again because new memory has to be cleared by the system first. */
const defaultBytes = 8 * mebibyte;
const maxFree = 2;
const free: Buffer[] = [];

/** Jobs that came and whose turn has not come. */
const waiting = new Set<number>();
/** The last source: several images are often made of one at the same time. */
let last: Promise<Source> = Promise.resolve({ bytes: Buffer.alloc(0), jobs: 0, isReplaced: false });
let reported: Promise<void> = Promise.resolve();

// Exits at once, also in the midst of a transform, when the parent has closed the channel or is gone.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

// Loaded here, so that a failure, such as binaries for another system, is reported as that of the jobs.
const loading = import('./render.ts');
loading.catch(() => undefined);

process.on('message', (message: WorkerMessage) => {
  if ('dropped' in message) {
    waiting.delete(message.dropped);
    return;
  }
  waiting.add(message.id);
  // The source of the next job is read while libvips has the one before.
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

async function perform({ id, wanted, timeoutSeconds }: JobMessage, source: Buffer): Promise<Report> {
  try {
    if (!waiting.delete(id)) return { kind: 'dropped' };
    const { render } = await loading;
    return { kind: 'rendered', rendered: await render(source, wanted, timeoutSeconds) };
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

/** The source comes through standard input, which costs half as much time as the message channel. */
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
      // It is of the next source.
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
