import { droppedFiles, type NamedFile } from './dropped-files.ts';
import { between, pause } from './live.ts';
import { putFile } from './put-file.ts';
import { refusalWords } from './refusal.ts';

/** The answer of the page that signs an upload. */
type Signing =
  | { kind: 'signed'; url: string; type: string }
  | { kind: 'exists' | 'refused'; words: string; size: number | null };

type Item = NamedFile & {
  node: HTMLElement;
  state: 'waiting' | 'running' | 'lost' | 'asking' | 'failed' | 'done';
  /** Whether a file of the same name is to be replaced. */
  replaces: boolean;
  /** The address of an attempt whose connection was lost. */
  signed: Extract<Signing, { kind: 'signed' }> | null;
  ended: AbortController;
  failures: number;
};

const maxRunning = 3;
const firstBackoff = 1000;
const maxBackoff = 30_000;

/**
 * Uploads the files of its form, and those dropped on the page, each to an address that the page signs
 * (`data-sign`). An upload whose connection was lost is repeated at the same address, which the storage accepts once.
 * The list of the files (`data-list`, an id) is replaced by its fragment (`data-src`) when all have ended.
 */
class Upload extends HTMLElement {
  readonly #items = new Set<Item>();
  readonly #wakes = new EventTarget();
  #disconnected = new AbortController();

  connectedCallback(): void {
    const form = this.querySelector('form');
    const input = form?.querySelector<HTMLInputElement>('input[type=file]');
    if (!form || !input) return;
    this.#disconnected = new AbortController();
    const { signal } = this.#disconnected;
    form.classList.add('live');
    for (const dropping of form.querySelectorAll('.dropping')) dropping.removeAttribute('hidden');
    for (const single of form.querySelectorAll<HTMLElement>('.single')) single.hidden = true;
    input.multiple = true;
    input.classList.add('vh');
    const add = (): void => {
      this.#add([...(input.files ?? [])].map((file) => ({ file, name: file.name })));
      input.value = '';
    };
    input.addEventListener('change', add, { signal });
    this.addEventListener('click', ({ target }) => this.#act(target), { signal });
    this.#takeDropped(form, signal);
    addEventListener('online', () => this.#wakes.dispatchEvent(new Event('wake')), { signal });
    addEventListener('beforeunload', (event) => this.#isBusy() && event.preventDefault(), { signal });
  }

  disconnectedCallback(): void {
    this.#disconnected.abort();
    for (const { ended } of this.#items) ended.abort();
  }

  #takeDropped(form: HTMLFormElement, signal: AbortSignal): void {
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      form.classList.add('over');
    };
    addEventListener('dragover', over, { signal });
    addEventListener('dragleave', ({ relatedTarget }) => relatedTarget ?? form.classList.remove('over'), { signal });
    addEventListener(
      'drop',
      (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        form.classList.remove('over');
        void droppedFiles(event.dataTransfer).then((files) => this.#add(files));
      },
      { signal },
    );
  }

  #add(files: NamedFile[]): void {
    const template = this.querySelector('template');
    const list = this.#list();
    if (!template || !list || files.length === 0) return;
    for (const file of files) {
      const node = document.importNode(template.content, true).firstElementChild as HTMLElement;
      const { cancel, retry, replace } = list.dataset;
      for (const [act, words = ''] of Object.entries({ cancel, retry, replace })) {
        node.querySelector(`[data-act=${act}]`)?.setAttribute('aria-label', words.replace('{name}', file.name));
      }
      node.querySelector('progress')?.setAttribute('aria-label', file.name);
      write(node, 'bdi', file.name);
      list.append(node);
      const fresh = { replaces: false, signed: null, ended: new AbortController(), failures: 0 };
      const item: Item = { ...file, ...fresh, node, state: 'waiting' };
      this.#items.add(item);
      this.#say(item, 'waiting', list.dataset.waiting);
    }
    list.closest<HTMLElement>('.uploads')?.removeAttribute('hidden');
    this.#next();
  }

  /** Runs the act of a button: of one file, or of the list. */
  #act(target: EventTarget | null): void {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-act]') : null;
    const act = button?.dataset.act;
    const item = [...this.#items].find(({ node }) => button && node.contains(button));
    if (act === 'close') this.#close();
    if (!item) return;
    if (act === 'cancel') this.#cancel(item);
    if (act === 'replace') item.replaces = true;
    if (act === 'replace' || (act === 'retry' && item.state === 'failed')) {
      item.ended = new AbortController();
      this.#say(item, 'waiting', this.#list()?.dataset.waiting);
      this.#next();
    } else if (act === 'retry') this.#wakes.dispatchEvent(new Event('wake'));
  }

  #cancel(item: Item): void {
    const hadFocus = item.node.contains(document.activeElement);
    this.#remove(item);
    if (hadFocus) this.querySelector<HTMLElement>('[data-act=close]')?.focus();
    this.#next();
  }

  #remove(item: Item): void {
    item.ended.abort();
    this.#items.delete(item);
    item.node.remove();
  }

  #close(): void {
    // The end of the last upload refreshes the list of files, which a cancelled one has not.
    if (this.#isBusy()) void this.#refresh();
    for (const item of this.#items) this.#remove(item);
    const list = this.#list();
    list?.closest<HTMLElement>('.uploads')?.setAttribute('hidden', '');
    this.querySelector<HTMLElement>('input[type=file]')?.focus();
  }

  #isBusy(): boolean {
    return [...this.#items].some(({ state }) => state === 'running' || state === 'waiting' || state === 'lost');
  }

  /** Starts waiting uploads, and refreshes the list of files when none is in progress. */
  #next(): void {
    const items = [...this.#items];
    const running = items.filter(({ state }) => state === 'running' || state === 'lost').length;
    for (const item of items.filter(({ state }) => state === 'waiting').slice(0, maxRunning - running)) {
      void this.#run(item);
    }
    const done = items.filter(({ state }) => state === 'done').length;
    const { running: words, ended } = this.#list()?.dataset ?? {};
    const isBusy = this.#isBusy();
    const title = (isBusy ? words : ended) ?? '';
    write(this, '.uploads header p', title.replace('{done}', String(done)).replace('{all}', String(items.length)));
    if (!isBusy && done > 0) void this.#refresh();
  }

  async #run(item: Item): Promise<void> {
    const { signal } = item.ended;
    const words = this.#list()?.dataset ?? {};
    this.#say(item, 'running', words.waiting);
    while (!signal.aborted && item.state === 'running') {
      try {
        await this.#attempt(item);
      } catch {
        if (signal.aborted) break;
        this.#say(item, 'lost', words.lost);
        const delay = Math.min(maxBackoff, firstBackoff * 2 ** item.failures);
        item.failures += 1;
        await pause(between(delay / 2, delay), signal, this.#wakes);
        if (!signal.aborted) this.#say(item, 'running', words.waiting);
      }
    }
    if (!signal.aborted) this.#next();
  }

  /** Makes one attempt; throws when the connection is lost, or a new address is refused. */
  async #attempt(item: Item): Promise<void> {
    const words = this.#list()?.dataset ?? {};
    const before = item.signed;
    const signing = before ?? (await this.#sign(item));
    if (signing.kind !== 'signed') {
      this.#say(item, signing.kind === 'exists' ? 'asking' : 'failed', signing.words);
      return;
    }
    item.signed = signing;
    const answer = await putFile({
      ...signing,
      file: item.file,
      replaces: item.replaces,
      signal: item.ended.signal,
      onProgress: (share, secondsLeft) => this.#show(item, share, secondsLeft),
    });
    item.signed = null;
    const reason = answer.isStored ? '' : refusalWords(words.refusals, answer.code, answer.message);
    if (answer.isStored) this.#say(item, 'done', words.done);
    else if (before && (await this.#wasStored(answer.code, item))) this.#say(item, 'done', words.done);
    else if (answer.code === 'PRECONDITION_FAILED') this.#say(item, 'asking', reason);
    else if (answer.code !== 'SIGNATURE_USED' && answer.code !== 'SIGNATURE_INVALID') {
      this.#say(item, 'failed', reason || words.failed);
    }
    // The next attempt has a new address. That a new one was refused is an outage, after which the attempts slow down.
    else if (!before) throw new Error(answer.code);
  }

  /** Whether a lost attempt had stored the file before its answer was lost. */
  async #wasStored(code: string, item: Item): Promise<boolean> {
    if (code !== 'SIGNATURE_USED' && code !== 'PRECONDITION_FAILED') return false;
    const { kind, ...present } = await this.#sign({ ...item, replaces: false });
    return kind === 'exists' && 'size' in present && present.size === item.file.size;
  }

  async #sign({ name, file, replaces, ended }: Item): Promise<Signing> {
    const { signal } = ended;
    const url = new URL(this.dataset.sign ?? '', location.href);
    const about = { name, type: file.type, size: String(file.size), replace: replaces ? 'on' : '' };
    for (const [key, value] of Object.entries(about)) url.searchParams.set(key, value);
    const response = await fetch(url, { signal });
    const { loggedOut = '', failed = '' } = this.#list()?.dataset ?? {};
    if (response.status >= 500 || response.status === 429) throw new Error(String(response.status));
    if (response.redirected) return { kind: 'refused', words: loggedOut, size: null };
    const found = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('[data-kind]');
    const { kind, type = '', size } = found instanceof HTMLElement ? found.dataset : {};
    if (kind === 'signed') return { kind, url: found?.getAttribute('href') ?? '', type };
    const words = found?.textContent ?? failed;
    return { kind: kind === 'exists' ? kind : 'refused', words, size: size === undefined ? null : Number(size) };
  }

  #show({ node }: Item, share: number, remaining: number | null): void {
    const { progress = '', secondsLeft = '', minutesLeft = '', storing = '' } = this.#list()?.dataset ?? {};
    const percent = Math.floor(share * 100);
    const words = remaining === null ? progress : remaining < 90 ? secondsLeft : minutesLeft;
    const amount = String(Math.max(1, Math.round((remaining ?? 0) / (remaining !== null && remaining >= 90 ? 60 : 1))));
    write(node, '.said', share === 1 ? storing : words.replace('{percent}', String(percent)).replace('{left}', amount));
    const bar = node.querySelector('progress');
    if (bar) bar.value = percent;
  }

  #say(item: Item, state: Item['state'], words = ''): void {
    const { node } = item;
    item.state = state;
    write(node, '.said', words);
    node.dataset.state = state;
    const show = (selector: string, isShown: boolean): boolean | undefined =>
      node.querySelector(selector)?.toggleAttribute('hidden', !isShown);
    show('[data-act=replace]', state === 'asking');
    show('[data-act=retry]', state === 'lost' || state === 'failed');
    show('[data-act=cancel]', state !== 'done');
    show('progress', state === 'running' || state === 'lost');
  }

  async #refresh(): Promise<void> {
    const list = document.getElementById(this.dataset.list ?? '');
    try {
      const response = await fetch(this.dataset.src ?? '', { signal: this.#disconnected.signal });
      if (!list || !response.ok || response.redirected) return;
      const newer = new DOMParser().parseFromString(await response.text(), 'text/html');
      list.replaceChildren(...document.importNode(newer.body, true).childNodes);
    } catch {
      // The list stays as it is; a reload shows the files.
    }
  }

  #list(): HTMLElement | null {
    return this.querySelector('.uploads ul');
  }
}

function write(root: Element, selector: string, text: string): void {
  const element = root.querySelector(selector);
  if (element) element.textContent = text;
}

customElements.define('x-upload', Upload);
