import type { Worker } from 'node:worker_threads';
import { minute, second } from '../../../../lib/clock.ts';
import { fail } from '../../../../lib/errors.ts';
import { startWorkerThread } from '../../../../lib/worker-thread.ts';
import type { PrintedInvoice } from './printed-invoice.ts';
import type { RenderAnswer, RenderRequest } from './worker.ts';

type Waiting = { resolve: (bytes: Buffer) => void; reject: (error: Error) => void };
type Renderer = {
  worker: Worker;
  /** What is sent before it listens may be lost: on Deno it is. */
  listening: Promise<void>;
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
 * Renders an invoice as a PDF file. A worker thread does the work, so that requests are answered meanwhile. The thread
 * starts on demand and ends after half a minute without work, which frees the memory of its fonts.
 *
 * @throws UNAVAILABLE when the queue is full.
 */
export function renderPdf(invoice: PrintedInvoice): Promise<Buffer> {
  renderer ??= startRenderer();
  const { worker, waiting, listening } = renderer;
  if (waiting.size >= maxQueued) throw fail('UNAVAILABLE');
  lastId += 1;
  const request: RenderRequest = { id: lastId, invoice };
  const rendered = new Promise<Buffer>((resolve, reject) => waiting.set(request.id, { resolve, reject }));
  endLater(renderer, renderTimeout);
  worker.ref();
  void listening.then(() => worker.postMessage(request));
  return rendered;
}

function startRenderer(): Renderer {
  const worker = startWorkerThread(new URL('./worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
  });
  const listening = new Promise<void>((resolve) => worker.once('message', () => resolve()));
  const waiting: Renderer['waiting'] = new Map();
  const started: Renderer = { worker, listening, waiting, ending: undefined };
  worker.on('message', (message: RenderAnswer) => {
    if (message === 'listening') return;
    const { resolve, reject } = waiting.get(message.id) ?? {};
    waiting.delete(message.id);
    if ('bytes' in message) resolve?.(Buffer.from(message.bytes));
    else reject?.(new Error(`An invoice could not be rendered: ${message.failure}`));
    endLater(started, waiting.size > 0 ? renderTimeout : idle);
    if (waiting.size === 0) worker.unref();
  });
  worker.on('error', (error) => abandon(started, error as Error));
  worker.on('exit', () => abandon(started, new Error('The thread that renders invoices ended.')));
  return started;
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
