import { flushOncePerTick } from '../lib/flush-each-turn.ts';
import type { HttpResponse } from './exchange.ts';

/** Bounds the latency that batching adds to an answer. */
const maxBatchSize = 64;

type Ending = { response: HttpResponse; content: string | Buffer | undefined };

const end = flushOncePerTick<Ending>((endings) => {
  for (const { response, content } of endings) response.end(content);
}, maxBatchSize);

/**
 * Ends a response whose head is written, together with all others of this turn of the event loop. A write to a sleeping
 * client takes longer than producing the answer, because the system has to wake it, and a proxy on the same machine
 * sleeps again before the next answer is ready. Batched answers wake it once.
 */
export function endCoalesced(response: HttpResponse, content?: string | Buffer): void {
  end({ response, content });
}
