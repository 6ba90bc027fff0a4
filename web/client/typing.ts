const lasts = 6000;
const announceEvery = 3000;

/** Typing indicator: shows the other side for a few seconds after each signal, and sends the signals of this side. */
export class Typing {
  /** Null while no other participant is typing. */
  name: string | null = null;
  readonly #onChange: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #announcedAt = 0;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  show(name: string | null): void {
    clearTimeout(this.#timer);
    this.name = name;
    if (name !== null) this.#timer = setTimeout(() => this.show(null), lasts);
    this.#onChange();
  }

  /** Sends a typing signal, at most every few seconds. A lost one does no harm. */
  announce(send: () => Promise<unknown>): void {
    if (Date.now() - this.#announcedAt < announceEvery) return;
    this.#announcedAt = Date.now();
    send().catch(() => undefined);
  }
}
