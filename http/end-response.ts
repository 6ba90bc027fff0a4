import type { HttpResponse } from './exchange.ts';

/** So many answers are written before their turn is over: nobody waits for more than these. */
const mostWaiting = 64;

type Waiting = { response: HttpResponse; content: string | Buffer | undefined };
let waiting: Waiting[] = [];

/**
 * Ends a response whose head is written, together with all others of this turn of the event loop. To write to a client
 * that sleeps takes longer than to answer it, since the system has to wake it; and a proxy on the same machine sleeps
 * again before the next answer is ready. Answers that are written one after the other wake it once.
 */
export function endResponse(response: HttpResponse, content?: string | Buffer): void {
  waiting.push({ response, content });
  if (waiting.length === 1) setImmediate(endAll);
  else if (waiting.length === mostWaiting) endAll();
}

function endAll(): void {
  const together = waiting;
  waiting = [];
  for (const { response, content } of together) response.end(content);
}
