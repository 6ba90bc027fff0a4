const lasts = 6000;
const announceEvery = 3000;

/** Who is typing on the other side, for a few seconds after each sign of it, and the signs of this side. */
export class Typing {
  /** Null while no one else is typing. */
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

  /** Sends a sign, at most every few seconds. One that is lost does no harm. */
  announce(send: () => Promise<unknown>): void {
    if (Date.now() - this.#announcedAt < announceEvery) return;
    this.#announcedAt = Date.now();
    send().catch(() => undefined);
  }
}
