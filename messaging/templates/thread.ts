import type { Template } from 'liquidjs';
import { LRUCache } from 'lru-cache';
import { createWorkerThread, ThreadEndedError, type WorkerThread } from '../../lib/concurrency/worker-thread.ts';
import { second } from '../../lib/data/clock.ts';
import type { Compilation } from './compile.ts';
import type { CompiledContent, Json, RenderedContent, Values } from './content.ts';
import { parseTemplate, renderParsed, type Syntax, TemplateError } from './liquid.ts';
import { createTurnQueue, type Turn } from './turns.ts';
import type { CompileWork, RenderWork, Work, WorkAnswer } from './worker.ts';

/** Parsed templates by syntax and source, bounded by the characters of all sources. */
const parsed = new LRUCache<string, Template[]>({
  maxSize: 4_000_000,
  sizeCalculation: (_templates, { length }) => length,
});

/** Renders a content on the current thread. Throws a TemplateError. */
export function renderOnThread(content: CompiledContent, variables: Values): RenderedContent {
  const { subject, html, text, options } = content;
  return {
    ...(subject !== undefined && { subject: renderText(subject, 'line', variables) }),
    ...(html !== undefined && { html: renderText(html, 'html', variables) }),
    ...(text !== undefined && { text: renderText(text, 'text', variables) }),
    ...(options !== undefined && { options: renderOptions(options, variables) }),
  };
}

function renderOptions(options: Json, variables: Values): Json {
  if (typeof options === 'string') return renderText(options, 'line', variables);
  if (Array.isArray(options)) return options.map((one) => renderOptions(one, variables));
  if (typeof options !== 'object' || options === null) return options;
  return Object.fromEntries(Object.entries(options).map(([name, one]) => [name, renderOptions(one, variables)]));
}

function renderText(source: string, syntax: Syntax, variables: Values): string {
  return renderParsed(parsedOf(source, syntax), syntax, variables);
}

function parsedOf(source: string, syntax: Syntax): Template[] {
  const key = `${syntax} ${source}`;
  const templates = parsed.get(key) ?? parseTemplate(source, syntax);
  parsed.set(key, templates);
  return templates;
}

type Job = { turn: Turn; work: Work; resolve: (done: never) => void; reject: (error: Error) => void };
type Place = 'shared' | 'quick';
/** `since`: when it began its work. */
type Thread = { worker: WorkerThread<Work, WorkAnswer>; isBusy: boolean; since: number };

/** Terminates the thread after this time, far longer than the engine's own render limit. */
const maxMilliseconds: Record<Work['kind'], number> = { compile: 10 * second, render: 5 * second };
/** Work that takes longer in the quick thread is restarted in the shared one. */
const maxQuickMilliseconds = 2 * second;
/** Uses the quick thread when the shared one has been busy for this long. */
const busyMilliseconds = 25;
const memoryMegabytes = 256;

const queue = createTurnQueue<Job>();
const threads: Record<Place, Thread> = { shared: newThread(), quick: newThread() };
let recheck: NodeJS.Timeout | undefined;

function newThread(): Thread {
  const worker = createWorkerThread<Work, WorkAnswer>(new URL('./worker.ts', import.meta.url), {
    name: 'The template thread',
    failure: 'Template processing failed',
    idleMilliseconds: 30 * second,
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
  });
  return { worker, isBusy: false, since: 0 };
}

/**
 * Compiles or renders in a worker thread, because templates are untrusted code of tenants. One shared thread takes all
 * work. While it is busy for long, a second thread takes the work of users with little recent thread time, so that
 * expensive templates delay only their own user.
 *
 * @throws TemplateError the template takes too much time or memory; UNAVAILABLE the organization has too much work
 * queued.
 */
export function inThread(turn: Turn, work: CompileWork): Promise<Compilation>;
export function inThread(turn: Turn, work: RenderWork): Promise<RenderedContent>;
export function inThread(turn: Turn, work: Work): Promise<Compilation | RenderedContent> {
  const { promise, resolve, reject } = Promise.withResolvers<never>();
  queue.add({ turn, work, resolve, reject });
  startNext();
  return promise;
}

function startNext(): void {
  const { shared, quick } = threads;
  if (!shared.isBusy) {
    const job = queue.next(false);
    if (job) void begin('shared', job);
  }
  if (!shared.isBusy || quick.isBusy) return;
  const busyIn = shared.since + busyMilliseconds - performance.now();
  const job = busyIn > 0 ? null : queue.next(true);
  if (job) void begin('quick', job);
  else if (busyIn > 0) startNextLater(busyIn);
}

function startNextLater(milliseconds: number): void {
  if (recheck) return;
  recheck = setTimeout(() => {
    recheck = undefined;
    startNext();
  }, milliseconds).unref();
}

async function begin(place: Place, job: Job): Promise<void> {
  const thread = threads[place];
  [thread.isBusy, thread.since] = [true, performance.now()];
  const timeout = place === 'quick' ? maxQuickMilliseconds : maxMilliseconds[job.work.kind];
  const outcome = await Promise.allSettled([thread.worker.call(job.work, { timeout })]);
  queue.charge(job.turn, performance.now() - thread.since);
  thread.isBusy = false;
  settle(place, job, outcome[0]);
  startNext();
}

/**
 * Settles a job. Running out of time or memory is the template's fault, but work that was too slow in the quick thread
 * may be repeated.
 */
function settle(place: Place, job: Job, outcome: PromiseSettledResult<WorkAnswer>): void {
  if (outcome.status === 'fulfilled') {
    if ('done' in outcome.value) job.resolve(outcome.value.done as never);
    else job.reject(new TemplateError(outcome.value.invalid));
    return;
  }
  const { reason } = outcome;
  const isSlow = reason instanceof ThreadEndedError && reason.isTimeout;
  if (isSlow && place === 'quick') repeat(job);
  else if (isSlow) job.reject(new TemplateError('The template takes too long.'));
  else if (isOutOfMemory(reason)) job.reject(new TemplateError('The template takes too much memory.'));
  else job.reject(reason);
}

function isOutOfMemory({ cause }: Error): boolean {
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function repeat(job: Job): void {
  try {
    queue.add(job);
  } catch (error) {
    job.reject(error as Error);
  }
}
