const lasts = 12_000;
const repeatsEvery = 5000;
const repeatsAloneEvery = 30_000;

/**
 * The other users who look at the same conversation. Each page announces itself when it is shown and to each newcomer,
 * and repeats it while others are there, so that a page whose connection is lost is forgotten.
 */
export class Looking {
  readonly #user: string;
  readonly #announce: (looking: boolean) => Promise<unknown>;
  readonly #onChange: () => void;
  readonly #others = new Map<string, ReturnType<typeof setTimeout>>();
  #isAnnounced = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(user: string, announce: (looking: boolean) => Promise<unknown>, onChange: () => void) {
    this.#user = user;
    this.#announce = announce;
    this.#onChange = onChange;
    document.addEventListener('visibilitychange', () => this.#tell());
    addEventListener('pagehide', () => this.#send(false));
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) this.#tell();
    });
    this.#tell();
  }

  get users(): string[] {
    return [...this.#others.keys()];
  }

  hear(userId: string, looking: boolean): void {
    if (userId === this.#user) {
      // Another tab of this user was closed.
      if (!looking && !document.hidden) this.#tell();
      return;
    }
    const isNew = !this.#others.has(userId);
    clearTimeout(this.#others.get(userId));
    if (looking)
      this.#others.set(
        userId,
        setTimeout(() => this.#forget(userId), lasts),
      );
    else this.#forget(userId);
    if (looking && isNew) {
      this.#onChange();
      this.#tell();
    }
  }

  #forget(userId: string): void {
    if (this.#others.delete(userId)) this.#onChange();
  }

  #tell(): void {
    this.#send(!document.hidden);
    if (!this.#isAnnounced) return;
    this.#timer = setTimeout(() => this.#tell(), this.#others.size > 0 ? repeatsEvery : repeatsAloneEvery);
  }

  /** A lost announcement is repeated by the next one. */
  #send(looking: boolean): void {
    clearTimeout(this.#timer);
    if (!looking && !this.#isAnnounced) return;
    this.#isAnnounced = looking;
    this.#announce(looking).catch(() => undefined);
  }
}
