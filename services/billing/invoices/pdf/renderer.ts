import { createWorkerThread } from '../../../../lib/concurrency/worker-thread.ts';
import { apiError } from '../../../../lib/contract/errors.ts';
import { minute, second } from '../../../../lib/data/clock.ts';
import type { PrintedInvoice } from './printed-invoice.ts';

const maxQueued = 50;
const renderTimeout = minute;
const memoryMegabytes = 512;

const renderer = createWorkerThread<PrintedInvoice, Uint8Array>(new URL('./worker.ts', import.meta.url), {
  name: 'The thread that renders invoices',
  failure: 'An invoice could not be rendered',
  idleMilliseconds: 30 * second,
  resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
});

/**
 * Renders an invoice as a PDF file on a worker thread, so that the event loop stays free. The thread ends when it is
 * idle, which frees the memory of its fonts.
 *
 * @throws UNAVAILABLE when the queue is full.
 */
export async function renderPdf(invoice: PrintedInvoice): Promise<Buffer> {
  if (renderer.pending() >= maxQueued) throw apiError('UNAVAILABLE');
  return Buffer.from(await renderer.call(invoice, { timeout: renderTimeout }));
}
