import { between, pause } from './live.ts';
import { keep, restore } from './session-list.ts';

/** A message that the server has not acknowledged. `content` is the input of `send`. */
export type Draft<T> = {
  /** Idempotency id: a message that is sent again under the same id is added once. */
  echoId: string;
  content: T;
  state: 'waiting' | 'failed';
  /** Whether an attempt was made; its response may be lost. */
  wasTried: boolean;
  /** Why the message was rejected. */
  reason: string | null;
};

/** `later`: milliseconds until the next attempt. `refused`: rejected permanently. */
export type Outcome = { sent: true } | { later: number } | { refused: string };

export type OutboxOptions<T> = {
  /** Session storage key, with which drafts survive a reload of the page. */
  storageKey: string;
  /** Makes one attempt; throws when the server is unreachable. */
  send: (draft: Draft<T>) => Promise<Outcome>;
  onChange: () => void;
};

const firstBackoff = 500;
const maxBackoff = 15_000;

/** Sends messages one after another, to keep their order, and each until it is acknowledged or rejected. */
export class Outbox<T> {
  readonly drafts: Draft<T>[];
  readonly #options: OutboxOptions<T>;
  readonly #wakes = new EventTarget();
  readonly #ended = new AbortController();
  #isSending = false;

  constructor(options: OutboxOptions<T>) {
    this.#options = options;
    this.drafts = restore<Draft<T>>(options.storageKey);
    addEventListener('online', () => this.wake(), { signal: this.#ended.signal });
    // Deferred until the caller has the outbox.
    setTimeout(() => void this.#run());
  }

  add(content: T): void {
    this.drafts.push({ echoId: newEchoId(), content, state: 'waiting', wasTried: false, reason: null });
    this.#changed();
    void this.#run();
  }

  /** Retries a rejected message. */
  retry(echoId: string): void {
    const draft = this.drafts.find((one) => one.echoId === echoId);
    if (draft) Object.assign(draft, { state: 'waiting', reason: null });
    this.#changed();
    void this.#run();
  }

  /** Retries immediately, for example after a network change. */
  wake(): void {
    this.#wakes.dispatchEvent(new Event('wake'));
  }

  /** Stops sending and keeps the drafts. */
  close(): void {
    this.#ended.abort();
  }

  async #run(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    let failures = 0;
    for (let draft = this.#next(); draft; draft = this.#next()) {
      const later = await this.#attempt(draft);
      this.#changed();
      if (later === null) failures = 0;
      else {
        const maxDelay = Math.min(maxBackoff, firstBackoff * 2 ** failures);
        failures += 1;
        await pause(later === 'unreached' ? between(maxDelay / 2, maxDelay) : later, this.#ended.signal, this.#wakes);
      }
    }
    this.#isSending = false;
  }

  #next(): Draft<T> | undefined {
    return this.#ended.signal.aborted ? undefined : this.drafts.find(({ state }) => state === 'waiting');
  }

  /** Makes one attempt. Returns the delay until the next one; null when the draft needs none. */
  async #attempt(draft: Draft<T>): Promise<number | 'unreached' | null> {
    try {
      const outcome = this.#options.send({ ...draft });
      draft.wasTried = true;
      const result = await outcome;
      if ('later' in result) return result.later;
      if ('sent' in result) this.drafts.splice(this.drafts.indexOf(draft), 1);
      else Object.assign(draft, { state: 'failed', reason: result.refused });
      return null;
    } catch {
      return 'unreached';
    }
  }

  #changed(): void {
    keep(this.#options.storageKey, this.drafts);
    this.#options.onChange();
  }
}

/** `crypto.randomUUID` only exists in secure contexts. */
function newEchoId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
