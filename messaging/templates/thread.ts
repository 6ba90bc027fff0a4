import type { Template } from 'liquidjs';
import { startWorkerThread, type WorkerThread } from '../../lib/concurrency/worker-thread.ts';
import { second } from '../../lib/data/clock.ts';
import type { Compilation } from './compile.ts';
import type { CompiledContent, Json, RenderedContent, Values } from './content.ts';
import { parseTemplate, renderParsed, type Syntax, TemplateError } from './liquid.ts';
import { createTurnQueue, type Turn } from './turns.ts';
import type { CompileWork, RenderWork, Work, WorkAnswer } from './worker.ts';

/** An LRU cache of parsed templates by source and syntax, bounded in size. */
const parsed = new Map<string, Template[]>();
const maxParsedLength = 4_000_000;
let parsedLength = 0;

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
  const found = parsed.get(key);
  const templates = found ?? parseTemplate(source, syntax);
  // Reinserting makes it the newest; the oldest are evicted first.
  if (found) parsed.delete(key);
  else parsedLength += key.length;
  parsed.set(key, templates);
  for (const oldest of parsed.keys()) {
    if (parsedLength <= maxParsedLength) break;
    parsed.delete(oldest);
    parsedLength -= oldest.length;
  }
  return templates;
}

type Job = { turn: Turn; work: Work; resolve: (done: never) => void; reject: (error: Error) => void };
type Place = 'shared' | 'quick';
type Thread = WorkerThread<Work> & {
  place: Place;
  current: Job | null;
  since: number;
  ending: NodeJS.Timeout | undefined;
};

/** Terminates the thread after this time, far longer than the engine's own render limit. */
const maxMilliseconds: Record<Work['kind'], number> = { compile: 10 * second, render: 5 * second };
/** Work that takes longer in the quick thread is restarted in the shared one. */
const maxQuickMilliseconds = 2 * second;
/** Uses the quick thread when the shared one has been busy for this long. */
const busyMilliseconds = 25;
const idle = 30 * second;
const memoryMegabytes = 256;

const queue = createTurnQueue<Job>();
const threads: Record<Place, Thread | null> = { shared: null, quick: null };
let recheck: NodeJS.Timeout | undefined;

/**
 * Compiles or renders in a worker thread, because templates are untrusted code of tenants. One shared thread takes all
 * work. While it is busy for long, a second thread takes the work of users with little recent thread time, so that
 * expensive templates delay only their own user. Threads start on demand and end after half a minute without work.
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
  if (!threads.shared?.current) {
    const job = queue.next(false);
    if (job) begin('shared', job);
  }
  const { shared, quick } = threads;
  if (!shared?.current || quick?.current) return;
  const busyIn = shared.since + busyMilliseconds - performance.now();
  const job = busyIn > 0 ? null : queue.next(true);
  if (job) begin('quick', job);
  else if (busyIn > 0) startNextLater(busyIn);
}

function startNextLater(milliseconds: number): void {
  if (recheck) return;
  recheck = setTimeout(() => {
    recheck = undefined;
    startNext();
  }, milliseconds).unref();
}

function begin(place: Place, job: Job): void {
  const thread = threads[place] ?? startThread(place);
  threads[place] = thread;
  thread.current = job;
  thread.since = performance.now();
  endLater(thread, place === 'quick' ? maxQuickMilliseconds : maxMilliseconds[job.work.kind]);
  thread.worker.ref();
  thread.post(job.work);
}

function startThread(place: Place): Thread {
  const thread = startWorkerThread<Work, WorkAnswer>(new URL('./worker.ts', import.meta.url), {
    called: 'The template thread',
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    answered: (answer) => settle(started, answer),
    ended: (cause) => abandon(started, cause),
  });
  const started: Thread = { ...thread, place, current: null, since: 0, ending: undefined };
  return started;
}

function settle(started: Thread, message: WorkAnswer): void {
  const current = endCurrent(started);
  endLater(started, idle);
  started.worker.unref();
  if ('done' in message) current?.resolve(message.done as never);
  else if ('invalid' in message) current?.reject(new TemplateError(message.invalid));
  else current?.reject(new Error(`Template processing failed: ${message.failure}`));
  startNext();
}

function endCurrent(thread: Thread): Job | null {
  const { current, since } = thread;
  thread.current = null;
  if (current) queue.charge(current.turn, performance.now() - since);
  return current;
}

/** Terminates the thread after this many milliseconds without a result. */
function endLater(ended: Thread, milliseconds: number): void {
  clearTimeout(ended.ending);
  ended.ending = setTimeout(
    () => abandon(ended, new TemplateError('The template takes too long.')),
    milliseconds,
  ).unref();
}

/**
 * Fails the thread's work; running out of memory is the template's fault. Work that was too slow in the quick thread
 * may be repeated.
 */
function abandon(ended: Thread, error: Error): void {
  const { place } = ended;
  clearTimeout(ended.ending);
  if (threads[place] === ended) threads[place] = null;
  const current = endCurrent(ended);
  const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (current && place === 'quick' && error instanceof TemplateError) repeat(current);
  else current?.reject(isMemory ? new TemplateError('The template takes too much memory.') : error);
  void ended.worker.terminate();
  startNext();
}

function repeat(job: Job): void {
  try {
    queue.add(job);
  } catch (error) {
    job.reject(error as Error);
  }
}
