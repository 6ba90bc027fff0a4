import { EventEmitter, once } from 'node:events';

const wakes = new EventEmitter();
wakes.setMaxListeners(0);
let calls = 0;

/** Tells this process's senders that a message waits or that a place is free. Other nodes find messages by polling. */
export function wakeSender(): void {
  calls += 1;
  wakes.emit('wake');
}

/** How often senders were woken so far: take it before looking for work, so that no call meanwhile is missed. */
export function wakeCalls(): number {
  return calls;
}

/** Resolves when senders were woken since `since`, when so many milliseconds are over, or when the signal aborts. */
export async function wokenOrAfter(since: number, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (calls !== since) return;
  const enough = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
  // Both the end of the wait and a stop arrive as an abort: either way it is time to look.
  await once(wakes, 'wake', { signal: enough }).catch(() => undefined);
}
