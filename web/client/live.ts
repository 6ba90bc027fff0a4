import { readEvents } from './event-stream.ts';

export type LiveOptions = {
  /** Name of the stream; tabs with the same name share one connection. */
  name: string;
  /** Requests the stream, with the id of the last received event. */
  open: (lastId: string | null, signal: AbortSignal) => Promise<Response>;
  onEvent: (event: string, data: Record<string, unknown>) => void;
  /** Called when the stream connects or disconnects. */
  onState: (isLive: boolean) => void;
  /** Called periodically while no stream is connected. */
  poll: () => void;
  /** The stream was rejected permanently. */
  onRefused: (status: number) => void;
};

/** Messages between tabs: the tab with the stream sends its events and state; `ask` requests the state. */
type Shared = { event: string; data: Record<string, unknown> } | { isLive: boolean } | { ask: true };

/** The server sends a comment every 15 s, so a longer silence means a lost connection. */
const maxSilence = 40_000;
const pollEvery = 5000;
const pollHiddenEvery = 30_000;
const firstBackoff = 1000;
const maxBackoff = 30_000;

/**
 * Listens to change notifications of the platform: server-sent events read with `fetch`, so that the credential is sent
 * in a header. One tab of a browser is elected leader, holds the stream and broadcasts its events to the others,
 * because browsers limit the connections per origin. Falls back to `poll` when the stream is blocked.
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
    // A frame without storage cannot request locks, and insecure contexts do not have them: each tab then has a
    // separate stream.
    const waiting = navigator.locks?.request(options.name, { signal }, lead) ?? lead();
    waiting.catch(() => this.#isLeader || signal.aborted || void lead());
    addEventListener('online', () => this.wake(), { signal });
    void this.#poll();
  }

  /** Retries immediately, for example after a network change. */
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

  /** Keeps a stream open, with exponential backoff after failures. */
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
      const maxDelay = Math.min(maxBackoff, firstBackoff * 2 ** failures);
      failures += 1;
      await pause(end.retry ?? between(maxDelay / 2, maxDelay), signal, this.#wakes);
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

  /** Polls while no stream is connected, less often in a hidden tab. */
  async #poll(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const every = document.hidden ? pollHiddenEvery : pollEvery;
      await pause(between(every * 0.8, every * 1.2), signal, this.#wakes);
      if (!this.#isLive && !signal.aborted) this.#options.poll();
    }
  }
}

/** Opens the channel; null where the browser rejects it, as in a frame without storage. */
function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}

const isFinal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429;

export const between = (least: number, most: number): number => least + Math.random() * (most - least);

/** Waits until the time has passed, the signal aborts, or a wake event fires. */
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
