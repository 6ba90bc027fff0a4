const delay = 400;

/**
 * Renews the preview of an edited template (`data-form`, an id) a moment after a change, from the fragment that
 * `data-src` answers to the form. Shows problems at their fields, and adds a row for the next variable.
 */
class TemplatePreview extends HTMLElement {
  #ended = new AbortController();
  #request = new AbortController();
  #timer = 0;

  connectedCallback(): void {
    const form = document.getElementById(this.dataset.form ?? '');
    if (!(form instanceof HTMLFormElement)) return;
    this.#ended = new AbortController();
    const { signal } = this.#ended;
    this.querySelector('[data-plain]')?.setAttribute('hidden', '');
    this.#frame?.addEventListener('load', () => this.#fit(), { signal });
    this.#fit();
    document.addEventListener('input', (event) => this.#changed(form, event.target), { signal });
    addEventListener('resize', () => this.#fit(), { signal });
    document.querySelector('.see .seg')?.addEventListener('change', () => this.#fit(), { signal });
  }

  disconnectedCallback(): void {
    clearTimeout(this.#timer);
    this.#ended.abort();
    this.#request.abort();
  }

  get #frame(): HTMLIFrameElement | null {
    return this.querySelector('iframe');
  }

  #changed(form: HTMLFormElement, field: EventTarget | null): void {
    const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
    if (!isField && !(field instanceof HTMLSelectElement)) return;
    if (field.form !== form) return;
    addRow(field);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#renew(form), delay);
  }

  async #renew(form: HTMLFormElement): Promise<void> {
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form)) body.set(name, String(value));
    try {
      const answer = await fetch(this.dataset.src ?? '', { method: 'POST', body, signal });
      if (!answer.ok || answer.redirected) throw new Error(`The preview answered ${answer.status}.`);
      const text = await answer.text();
      if (!signal.aborted) this.#show(form, new DOMParser().parseFromString(text, 'text/html'));
    } catch {
      if (!signal.aborted) this.#say(this.dataset.failed ?? '');
    }
  }

  #say(words: string): void {
    const status = this.querySelector('[data-part="status"]');
    if (status) status.textContent = words;
  }

  #show(form: HTMLFormElement, news: Document): void {
    this.#say('');
    for (const part of news.querySelectorAll<HTMLElement>('[data-part]')) {
      const present = this.querySelector(`[data-part="${part.dataset.part}"]`);
      if (present) present.textContent = part.textContent;
    }
    markProblems(form, news);
    const content = news.querySelector<HTMLElement>('[data-document]')?.dataset.document;
    const shown = this.#frame?.contentDocument?.documentElement;
    if (content === undefined || !shown) return;
    // Written into the frame's own document, whose policy allows the styles of mail and nothing that runs.
    shown.innerHTML = content;
    this.#fit();
  }

  /** Makes the frame as high as its content. */
  #fit(): void {
    const frame = this.#frame;
    const body = frame?.contentDocument?.body;
    if (frame && body && body.childElementCount > 0) frame.height = String(body.scrollHeight);
  }
}

/** Moves the problems to their fields, in place of earlier ones. */
function markProblems(form: HTMLFormElement, news: Document): void {
  const messages = new Map(
    [...news.querySelectorAll<HTMLElement>('[data-field]')].map((one) => [one.dataset.field, one.firstElementChild]),
  );
  for (const control of form.elements) {
    const field = control.closest('.field');
    if (!field || control.id === '') continue;
    document.getElementById(`${control.id}-error`)?.remove();
    const message = messages.get(control.id);
    if (!message) {
      control.removeAttribute('aria-invalid');
      continue;
    }
    const label = field.querySelector(':scope > :is(label, .label)');
    const shown = document.importNode(message, true);
    if (label) label.after(shown);
    else field.prepend(shown);
    control.setAttribute('aria-invalid', 'true');
    control.setAttribute('aria-describedby', `${control.id}-hint ${control.id}-error`);
  }
}

/** Adds an empty row when the last one is begun. */
function addRow(field: Element): void {
  const row = field.closest('tr');
  const rows = row?.parentElement;
  if (!row || !rows || row !== rows.lastElementChild || rows.childElementCount >= Number(rows.dataset.rows)) return;
  const number = rows.childElementCount;
  const added = row.cloneNode(true) as HTMLElement;
  for (const one of added.querySelectorAll('.error')) one.remove();
  for (const input of added.querySelectorAll('input')) {
    const name = input.name.replace(/\d+$/, String(number));
    Object.assign(input, { name, id: name, value: input.type === 'checkbox' ? 'on' : '', checked: false });
    input.ariaLabel = (input.ariaLabel ?? '').replace(/\d+/, String(number + 1));
    input.removeAttribute('aria-invalid');
  }
  row.after(added);
}

customElements.define('x-template-preview', TemplatePreview);
