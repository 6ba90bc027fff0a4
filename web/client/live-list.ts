import { between, pause } from './live.ts';
import { localizeTimes } from './times.ts';

const every = 4000;
const maxDelay = 60_000;
/** Longer than a tab lives: until the tab is shown or the switch is turned on. */
const forever = 2 ** 31 - 1;

/**
 * Replaces the list in it by the newer fragment of its page (`data-src`) every few seconds, while the tab is visible and
 * the switch (`data-switch`, an id) is on. Leaves the list while the reader has the focus or a selection in it.
 */
class LiveList extends HTMLElement {
  readonly #wakes = new EventTarget();
  #ended = new AbortController();
  #failures = 0;
  #shown = '';

  connectedCallback(): void {
    const control = document.getElementById(this.dataset.switch ?? '');
    if (!(control instanceof HTMLInputElement)) return;
    this.#ended = new AbortController();
    const { signal } = this.#ended;
    const wake = (): boolean => this.#wakes.dispatchEvent(new Event('wake'));
    control.addEventListener('change', wake, { signal });
    document.addEventListener('visibilitychange', wake, { signal });
    control.closest('label')?.removeAttribute('hidden');
    void this.#keepCurrent(control, signal);
  }

  disconnectedCallback(): void {
    this.#ended.abort();
  }

  async #keepCurrent(control: HTMLInputElement, signal: AbortSignal): Promise<void> {
    const isIdle = (): boolean => document.hidden || !control.checked;
    while (!signal.aborted) {
      const delay = Math.min(maxDelay, every * 2 ** this.#failures);
      await pause(isIdle() ? forever : between(delay * 0.9, delay * 1.1), signal, this.#wakes);
      if (!signal.aborted && !isIdle() && !(await this.#renew(signal))) control.checked = false;
    }
  }

  /** Returns false when the list cannot be read: the reader is logged out, or lost the permission. */
  async #renew(signal: AbortSignal): Promise<boolean> {
    try {
      const response = await fetch(this.dataset.src ?? '', { signal });
      const isBusy = response.status >= 500 || response.status === 429;
      if (!isBusy && (!response.ok || response.redirected)) return false;
      this.#failures = isBusy ? this.#failures + 1 : 0;
      if (!isBusy) this.#show(await response.text());
    } catch {
      // The platform cannot be reached.
      this.#failures += 1;
    }
    return true;
  }

  #show(text: string): void {
    const selection = getSelection();
    const isSelected = selection !== null && !selection.isCollapsed && selection.containsNode(this, true);
    if (text === this.#shown || isSelected || this.contains(document.activeElement)) return;
    this.#shown = text;
    const newer = new DOMParser().parseFromString(text, 'text/html');
    this.replaceChildren(...document.importNode(newer.body, true).childNodes);
    localizeTimes(this);
  }
}

customElements.define('x-live-list', LiveList);
