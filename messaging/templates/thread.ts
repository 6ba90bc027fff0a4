import { second } from '../../lib/clock.ts';
import { fail } from '../../lib/errors.ts';
import { startWorkerThread, type WorkerThread } from '../../lib/worker-thread.ts';
import type { Compilation } from './compile.ts';
import type { RenderedContent } from './content.ts';
import { renderTimeout, TemplateError } from './liquid.ts';
import type { CompileWork, RenderWork, Work, WorkAnswer } from './worker.ts';

type Waiting = { work: Work; resolve: (done: never) => void; reject: (error: Error) => void };
type Thread = WorkerThread<Work> & { current: Waiting | null; ending: NodeJS.Timeout | undefined };

const maxWaiting = 200;
const idle = 30 * second;
const memoryMegabytes = 256;

/** What waits, by organization. The organizations take turns, so that expensive templates of one delay its own. */
const lanes = new Map<string, Waiting[]>();
let thread: Thread | null = null;

/**
 * Compiles or renders in a worker thread, which starts on demand and ends after half a minute without work. Work that
 * takes longer than the limit ends the thread.
 *
 * @throws TemplateError the template cannot be rendered; UNAVAILABLE the organization has too much work waiting.
 */
export function inThread(orgId: string, work: CompileWork): Promise<Compilation>;
export function inThread(orgId: string, work: RenderWork): Promise<RenderedContent>;
export function inThread(orgId: string, work: Work): Promise<Compilation | RenderedContent> {
  const lane = lanes.get(orgId) ?? [];
  if (lane.length >= maxWaiting) throw fail('UNAVAILABLE');
  lanes.set(orgId, lane);
  const done = new Promise<never>((resolve, reject) => lane.push({ work, resolve, reject }));
  startNext();
  return done;
}

function startNext(): void {
  if (thread?.current) return;
  const [next] = lanes;
  if (!next) return;
  const [orgId, lane] = next;
  const waiting = lane.shift();
  // The organization goes to the end of the line. A lane in the map is never empty.
  lanes.delete(orgId);
  if (lane.length > 0) lanes.set(orgId, lane);
  if (!waiting) return;
  thread ??= startThread();
  thread.current = waiting;
  endLater(thread, renderTimeout + second);
  thread.worker.ref();
  thread.post(waiting.work);
}

function startThread(): Thread {
  const thread = startWorkerThread<Work, WorkAnswer>(new URL('./worker.ts', import.meta.url), {
    called: 'The thread of templates',
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    answered: (answer) => settle(started, answer),
    ended: (cause) => abandon(started, cause),
  });
  const started: Thread = { ...thread, current: null, ending: undefined };
  return started;
}

function settle(started: Thread, message: WorkAnswer): void {
  const { current, worker } = started;
  started.current = null;
  endLater(started, idle);
  worker.unref();
  if ('done' in message) current?.resolve(message.done as never);
  else if ('invalid' in message) current?.reject(new TemplateError(message.invalid));
  else current?.reject(new Error(`A template could not be processed: ${message.failure}`));
  startNext();
}

/** Ends the thread after this many milliseconds without an answer. */
function endLater(ended: Thread, milliseconds: number): void {
  clearTimeout(ended.ending);
  ended.ending = setTimeout(() => abandon(ended, new TemplateError('It takes too long.')), milliseconds).unref();
}

/** What the thread was doing fails; an end for want of memory is the template's fault too. */
function abandon(ended: Thread, error: Error): void {
  clearTimeout(ended.ending);
  if (thread === ended) thread = null;
  const { current } = ended;
  ended.current = null;
  const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  current?.reject(isMemory ? new TemplateError('It takes too much memory.') : error);
  void ended.worker.terminate();
  startNext();
}
