import process from 'node:process';
import type { Rendered } from './render.ts';
import { TransformError, type TransformFailure } from './transform-error.ts';
import type { Transformation } from './transform-query.ts';

/** What the worker process receives: one at a time, after it has sent `ready`. `size` is the source's, in bytes. */
export type JobMessage = { size: number; wanted: Transformation; timeoutSeconds: number };

/** What the worker process sends. */
export type Report =
  | { kind: 'ready' }
  | { kind: 'rendered'; rendered: Rendered }
  | { kind: 'failed'; reason: TransformFailure; message: string };

/** Memory for most sources, used again because new memory has to be cleared by the system first. */
const usualSource = Buffer.allocUnsafeSlow(8 * 1024 * 1024);

// Exits at once, also in the midst of a transform, when the parent has closed the channel or is gone.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

// Loaded here, so that a failure, such as binaries for another system, is reported as that of the jobs.
const loading = import('./render.ts');
loading.catch(() => undefined);

process.on('message', (job: JobMessage) => {
  perform(job).then(send, (error: unknown) => {
    const reason = error instanceof TransformError ? error.reason : 'failed';
    send({ kind: 'failed', reason, message: error instanceof Error ? error.message : String(error) });
  });
});

send({ kind: 'ready' });

async function perform({ size, wanted, timeoutSeconds }: JobMessage): Promise<Report> {
  const source = await readSource(size);
  const { render } = await loading;
  return { kind: 'rendered', rendered: await render(source, wanted, timeoutSeconds) };
}

/** The source comes through standard input, which costs half as much time as the message channel. */
function readSource(size: number): Promise<Uint8Array> {
  const source = size <= usualSource.length ? usualSource.subarray(0, size) : Buffer.allocUnsafeSlow(size);
  let filled = 0;
  return new Promise((resolve) => {
    const take = (chunk: Buffer) => {
      filled += chunk.copy(source, filled);
      if (filled < size) return;
      process.stdin.off('data', take).pause();
      resolve(source);
    };
    if (size === 0) resolve(source);
    else process.stdin.on('data', take).resume();
  });
}

function send(report: Report): void {
  process.send?.(report);
}
