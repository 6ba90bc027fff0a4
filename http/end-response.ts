import { flushOncePerTick } from '../lib/flush-each-turn.ts';
import type { HttpResponse } from './exchange.ts';

/** Bounds the latency that an answer gains by waiting for the others of its turn. */
const maxBatchSize = 64;

type Ending = { response: HttpResponse; content: string | Buffer | undefined };

const end = flushOncePerTick<Ending>((endings) => {
  for (const { response, content } of endings) response.end(content);
}, maxBatchSize);

/**
 * Ends a response whose head is written, together with all others of this turn of the event loop. To write to a client
 * that sleeps takes longer than to answer it, since the system has to wake it; and a proxy on the same machine sleeps
 * again before the next answer is ready. Answers that are written one after the other wake it once.
 */
export function endCoalesced(response: HttpResponse, content?: string | Buffer): void {
  end({ response, content });
}
