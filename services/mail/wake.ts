import { EventEmitter, once } from 'node:events';

const wakes = new EventEmitter();
wakes.setMaxListeners(0);
let calls = 0;

/** Wakes this process's senders for a new message or a free place. Other nodes find messages by polling. */
export function wakeSender(): void {
  calls += 1;
  wakes.emit('wake');
}

/** How often senders were woken so far: read it before polling, so that no wake meanwhile is missed. */
export function wakeCalls(): number {
  return calls;
}

/** Resolves when senders were woken since `since`, after so many milliseconds, or when the signal aborts. */
export async function wokenOrAfter(since: number, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (calls !== since) return;
  const enough = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
  // The end of the wait and a stop both arrive as an abort: either way it is time to poll.
  await once(wakes, 'wake', { signal: enough }).catch(() => undefined);
}
