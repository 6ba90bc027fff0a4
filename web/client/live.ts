import { readEvents } from './event-stream.ts';

export type LiveOptions = {
  /** Names what is listened to; tabs with the same name share a stream. */
  name: string;
  /** Requests the stream, with the id of the last event that has arrived. */
  open: (lastId: string | null, signal: AbortSignal) => Promise<Response>;
  onEvent: (event: string, data: Record<string, unknown>) => void;
  /** Whether events arrive now. */
  onState: (isLive: boolean) => void;
  /** Called now and then while no events arrive. */
  poll: () => void;
  /** The stream was refused, and another attempt would be too. */
  onRefused: (status: number) => void;
};

/** What the tab with the stream sends to the others, and `ask`, by which they ask it for its state. */
type Shared = { event: string; data: Record<string, unknown> } | { isLive: boolean } | { ask: true };

/** The server sends a comment every 15 s, so that a longer silence is a lost connection. */
const maxSilence = 40_000;
const pollEvery = 5000;
const pollHiddenEvery = 30_000;
const firstBackoff = 1000;
const maxBackoff = 30_000;

/**
 * Listens to hints of the platform that something has changed: server-sent events that are read with `fetch`, so that
 * the credential stands in a header. Of all tabs of a browser one holds the stream, and hands its events to the others:
 * browsers open few connections to an origin. Where the stream is blocked, `poll` is called in its place.
 */
export class Live {
  readonly #options: LiveOptions;
  readonly #ended = new AbortController();
  readonly #wakes = new EventTarget();
  readonly #channel: BroadcastChannel | null;
  #isLeader = false;
  #isLive = false;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#channel = openChannel(options.name);
    this.#channel?.addEventListener('message', ({ data }: MessageEvent<Shared>) => this.#hear(data));
    this.#share({ ask: true });
    const { signal } = this.#ended;
    const lead = () => this.#lead();
    // Locks are refused to a frame without storage, and absent in insecure contexts: then each tab has its own stream.
    const waiting = navigator.locks?.request(options.name, { signal }, lead) ?? lead();
    waiting.catch(() => this.#isLeader || signal.aborted || void lead());
    addEventListener('online', () => this.wake(), { signal });
    void this.#poll();
  }

  /** Tries again at once, as after a change of the network. */
  wake(): void {
    this.#wakes.dispatchEvent(new Event('wake'));
  }

  close(): void {
    this.#ended.abort();
    this.#channel?.close();
  }

  #share(shared: Shared): void {
    if (!this.#ended.signal.aborted) this.#channel?.postMessage(shared);
  }

  #hear(shared: Shared): void {
    if ('event' in shared) this.#options.onEvent(shared.event, shared.data);
    else if ('isLive' in shared) this.#setLive(shared.isLive);
    else if (this.#isLeader) this.#share({ isLive: this.#isLive });
  }

  #setLive(isLive: boolean): void {
    if (isLive === this.#isLive || this.#ended.signal.aborted) return;
    this.#isLive = isLive;
    if (this.#isLeader) this.#share({ isLive });
    this.#options.onState(isLive);
  }

  /** Keeps a stream open, with a growing pause after each failure. */
  async #lead(): Promise<void> {
    const { signal } = this.#ended;
    let lastId: string | null = null;
    let failures = 0;
    this.#isLeader = true;
    while (!signal.aborted) {
      const end = await this.#hold(lastId, (id) => {
        lastId = id;
        failures = 0;
      });
      this.#setLive(false);
      if (end.refused !== null) return this.#options.onRefused(end.refused);
      const most = Math.min(maxBackoff, firstBackoff * 2 ** failures);
      failures += 1;
      await pause(end.retry ?? between(most / 2, most), signal, this.#wakes);
    }
  }

  /** Reads one stream to its end. */
  async #hold(
    lastId: string | null,
    onId: (id: string) => void,
  ): Promise<{ refused: number | null; retry: number | null }> {
    const silence = new AbortController();
    const quiet = (): number => setTimeout(() => silence.abort(), maxSilence) as unknown as number;
    let timer = quiet();
    let retry: number | null = null;
    try {
      const response = await this.#options.open(lastId, AbortSignal.any([this.#ended.signal, silence.signal]));
      if (!response.ok || !response.body) return { refused: isFinal(response.status) ? response.status : null, retry };
      for await (const fields of readEvents(response.body)) {
        clearTimeout(timer);
        timer = quiet();
        if (fields.id !== undefined) onId(fields.id);
        if (fields.retry !== undefined) retry = Number(fields.retry);
        if (fields.event !== undefined) this.#deliver(fields.event, fields.data);
      }
    } catch {
      // The connection was lost, or was silent for too long.
    } finally {
      clearTimeout(timer);
    }
    return { refused: null, retry };
  }

  #deliver(event: string, text = '{}'): void {
    const data = JSON.parse(text) as Record<string, unknown>;
    this.#setLive(true);
    this.#share({ event, data });
    this.#options.onEvent(event, data);
  }

  /** Polls while no events arrive, less often in a tab that is not seen. */
  async #poll(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const every = document.hidden ? pollHiddenEvery : pollEvery;
      await pause(between(every * 0.8, every * 1.2), signal, this.#wakes);
      if (!this.#isLive && !signal.aborted) this.#options.poll();
    }
  }
}

/** Null where browsers refuse it, as to a frame without storage. */
function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}

const isFinal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429;

export const between = (least: number, most: number): number => least + Math.random() * (most - least);

/** Waits, until the time is over, the signal aborts, or something wakes it. */
export function pause(milliseconds: number, signal: AbortSignal, wakes: EventTarget): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      wakes.removeEventListener('wake', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
    wakes.addEventListener('wake', done);
  });
}
