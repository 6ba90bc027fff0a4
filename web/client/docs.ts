import './docs-try.ts';

/** Milliseconds after the last key before the search is sent. */
const pause = 120;

/** The search of the documentation: shows the results of the page of the search below the field, as one types. */
class DocsSearch extends HTMLElement {
  #timer = 0;
  #request: AbortController | null = null;

  connectedCallback(): void {
    const field = this.querySelector('input');
    const form = this.querySelector('form');
    if (!field || !form) return;
    const found = document.createElement('div');
    found.className = 'found';
    found.hidden = true;
    found.setAttribute('aria-live', 'polite');
    this.append(found);
    field.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#show(form, field, found), pause);
    });
    this.addEventListener('keydown', (event) => this.#move(event, field, found));
    document.addEventListener('click', (event) => {
      if (event.target instanceof Node && !this.contains(event.target)) found.hidden = true;
    });
    addEventListener('keydown', (event) => {
      const isTyping = event.target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      field.select();
    });
  }

  async #show(form: HTMLFormElement, field: HTMLInputElement, found: HTMLElement): Promise<void> {
    this.#request?.abort();
    const words = field.value.trim();
    if (words === '') {
      found.hidden = true;
      return;
    }
    const request = new AbortController();
    this.#request = request;
    const address = `${form.action}?${new URLSearchParams({ q: words })}`;
    const page = await fetch(address, { signal: request.signal })
      .then((response) => response.text())
      .catch(() => null);
    // Without an answer, Enter still leads to the page of the search.
    if (page === null || request.signal.aborted) return;
    const results = new DOMParser().parseFromString(page, 'text/html').getElementById('results');
    found.replaceChildren(...(results ? [...results.children].map((part) => document.importNode(part, true)) : []));
    found.hidden = found.childElementCount === 0;
  }

  /** Arrows go through the results, Escape closes them. */
  #move(event: KeyboardEvent, field: HTMLInputElement, found: HTMLElement): void {
    if (found.hidden) return;
    if (event.key === 'Escape') {
      found.hidden = true;
      field.focus();
      return;
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const stops: HTMLElement[] = [field, ...found.querySelectorAll('a')];
    const index = stops.indexOf(document.activeElement as HTMLElement);
    stops[(index + (event.key === 'ArrowDown' ? 1 : stops.length - 1)) % stops.length]?.focus();
  }
}

customElements.define('x-docs-search', DocsSearch);
