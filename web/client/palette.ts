/**
 * The command palette: Ctrl+K or ⌘K opens the search of the console in a dialog. It shows the results that the search
 * page renders; arrows move through them, and Enter follows the first one.
 */
class Palette extends HTMLElement {
  #latest = 0;

  connectedCallback(): void {
    const dialog = this.querySelector('dialog');
    const input = this.querySelector('input');
    if (!dialog || !input) return;
    addEventListener('keydown', (event) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      this.#open(dialog, input);
    });
    addEventListener('click', (event) => {
      if (!(event.target instanceof Element) || !event.target.closest('a[data-palette]')) return;
      event.preventDefault();
      this.#open(dialog, input);
    });
    input.addEventListener('input', () => void this.#search(input.value));
    dialog.addEventListener('keydown', (event) => this.#move(event, input));
  }

  #open(dialog: HTMLDialogElement, input: HTMLInputElement): void {
    document.querySelector<HTMLElement>('#nav:popover-open')?.hidePopover();
    if (!dialog.open) dialog.showModal();
    input.select();
    void this.#search(input.value);
  }

  /** An answer that is overtaken by a later one is dropped. */
  async #search(typed: string): Promise<void> {
    this.#latest += 1;
    const turn = this.#latest;
    const parameters = new URLSearchParams({ q: typed, fragment: 'hits' });
    const response = await fetch(`${this.dataset.src}?${parameters}`).catch(() => null);
    if (!response?.ok || response.redirected) return;
    const text = await response.text();
    if (turn !== this.#latest) return;
    const newer = new DOMParser().parseFromString(text, 'text/html');
    this.querySelector('ul')?.replaceChildren(...document.importNode(newer.body, true).childNodes);
  }

  #move(event: KeyboardEvent, input: HTMLInputElement): void {
    const links = [...this.querySelectorAll<HTMLAnchorElement>('ul a')];
    if (event.key === 'Enter' && event.target === input) {
      event.preventDefault();
      links[0]?.click();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || links.length === 0) return;
    event.preventDefault();
    const stops: HTMLElement[] = [input, ...links];
    const now = stops.indexOf(document.activeElement as HTMLElement);
    stops.at((now + step) % stops.length)?.focus();
  }
}

customElements.define('x-palette', Palette);
