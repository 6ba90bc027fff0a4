import { startWorkerThread, type WorkerThread } from '../../../../lib/concurrency/worker-thread.ts';
import { apiError } from '../../../../lib/contract/errors.ts';
import { minute, second } from '../../../../lib/data/clock.ts';
import type { PrintedInvoice } from './render-invoice.ts';
import type { RenderAnswer, RenderRequest } from './worker.ts';

type Waiting = { resolve: (bytes: Buffer) => void; reject: (error: Error) => void };
type Renderer = WorkerThread<RenderRequest> & {
  waiting: Map<number, Waiting>;
  ending: NodeJS.Timeout | undefined;
};

const maxQueued = 50;
const renderTimeout = minute;
const idle = 30 * second;
const memoryMegabytes = 512;

let renderer: Renderer | null = null;
let lastId = 0;

/**
 * Renders an invoice as a PDF file on a worker thread, so that the event loop stays free. The thread starts on demand
 * and ends after half a minute without work, which frees the memory of its fonts.
 *
 * @throws UNAVAILABLE when the queue is full.
 */
export function renderPdf(invoice: PrintedInvoice): Promise<Buffer> {
  renderer ??= startRenderer();
  const { worker, waiting, post } = renderer;
  if (waiting.size >= maxQueued) throw apiError('UNAVAILABLE');
  lastId += 1;
  const request: RenderRequest = { id: lastId, invoice };
  const rendered = new Promise<Buffer>((resolve, reject) => waiting.set(request.id, { resolve, reject }));
  endLater(renderer, renderTimeout);
  worker.ref();
  post(request);
  return rendered;
}

function startRenderer(): Renderer {
  const thread = startWorkerThread<RenderRequest, RenderAnswer>(new URL('./worker.ts', import.meta.url), {
    called: 'The thread that renders invoices',
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    answered: (answer) => settle(started, answer),
    ended: (cause) => abandon(started, cause),
  });
  const started: Renderer = { ...thread, waiting: new Map(), ending: undefined };
  return started;
}

function settle(settled: Renderer, answer: RenderAnswer): void {
  const { worker, waiting } = settled;
  const { resolve, reject } = waiting.get(answer.id) ?? {};
  waiting.delete(answer.id);
  if ('bytes' in answer) resolve?.(Buffer.from(answer.bytes));
  else reject?.(new Error(`An invoice could not be rendered: ${answer.failure}`));
  endLater(settled, waiting.size > 0 ? renderTimeout : idle);
  if (waiting.size === 0) worker.unref();
}

/** Ends the thread after this many milliseconds without an answer. Requests that still wait then fail. */
function endLater(ended: Renderer, milliseconds: number): void {
  clearTimeout(ended.ending);
  ended.ending = setTimeout(() => {
    abandon(ended, new Error(`An invoice was not rendered within ${renderTimeout / second} seconds.`));
  }, milliseconds).unref();
}

function abandon(ended: Renderer, error: Error): void {
  clearTimeout(ended.ending);
  if (renderer === ended) renderer = null;
  for (const { reject } of ended.waiting.values()) reject(error);
  ended.waiting.clear();
  void ended.worker.terminate();
}
