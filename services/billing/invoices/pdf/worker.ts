import { parentPort } from 'node:worker_threads';
import { type PrintedInvoice, renderInvoice } from './render-invoice.ts';

export type RenderRequest = { id: number; invoice: PrintedInvoice };
export type RenderAnswer = { id: number; bytes: Uint8Array } | { id: number; failure: string };

/** Invoices are rendered one after another; the answer to each carries the id of its request. */
parentPort?.on('message', ({ id, invoice }: RenderRequest) => {
  renderInvoice(invoice).then(
    (bytes) => answer({ id, bytes }),
    (error: unknown) =>
      answer({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
parentPort?.postMessage('listening');

function answer(message: RenderAnswer): void {
  parentPort?.postMessage(message);
}
