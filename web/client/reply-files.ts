import { refusalWords } from './refusal.ts';
import { keep, restore } from './session-list.ts';

/** An uploaded file that a reply can reference. */
export type SentFile = { attachmentId: string; fileName: string };

type Entry = { node: HTMLElement; sent: SentFile | null };

type Options = {
  /** Session storage key, with which uploaded files survive a reload of the page. */
  storageKey: string;
  /**
   * List of the selected files. Its `data-` attributes contain its texts, and `data-most` the maximum number of files.
   */
  list: HTMLElement;
  template: HTMLTemplateElement;
  /** Requests a signed upload URL. */
  sign: (about: { fileName: string; mimeType: string; size: number }) => Promise<Response>;
};

type Upload = { attachmentId: string; uploadUrl: string; method: string; headers: Record<string, string> };
type Refusal = { error?: string; message?: string; details?: { message: string }[] };

const uploadTimeout = 300_000;

/** Files selected for the next reply. Each is uploaded immediately, so that sending the reply is fast. */
export class ReplyFiles {
  readonly #options: Options;
  readonly #entries = new Set<Entry>();

  constructor(options: Options) {
    this.#options = options;
    for (const sent of restore<SentFile>(options.storageKey)) this.#show(sent.fileName).sent = sent;
  }

  add(files: Iterable<File>): void {
    for (const file of files) this.#add(file);
  }

  /**
   * Takes the files of the reply that is being sent out of the selection; null, with a message, while one is not
   * uploaded.
   */
  take(): SentFile[] | null {
    const entries = [...this.#entries];
    const files = entries.map(({ sent }) => sent);
    if (files.every((sent) => sent !== null)) {
      for (const entry of entries) this.#remove(entry);
      return files;
    }
    for (const { node, sent } of entries) if (sent === null) this.#sayHold(node);
    return null;
  }

  #sayHold(node: HTMLElement): void {
    const { wait = '', removeFirst = '' } = this.#options.list.dataset;
    const state = node.querySelector('.state');
    const words = node.classList.contains('failed') ? removeFirst : wait;
    if (state && !state.textContent?.endsWith(words)) state.append(` ${words}`);
  }

  #add(file: File): void {
    const { uploading = '', failed = '' } = this.#options.list.dataset;
    const wrong = this.#refusalOf(file);
    const entry = this.#show(file.name);
    const { node } = entry;
    const refuse = (why: string): void => {
      node.classList.add('failed');
      write(node, '.state', `${failed} ${why}`.trim());
    };
    if (wrong !== null) {
      refuse(wrong);
      return;
    }
    write(node, '.state', uploading);
    this.#upload(file).then(
      (sent) => {
        entry.sent = sent;
        write(node, '.state', '');
        this.#keep();
      },
      (error: unknown) => refuse(error instanceof Error ? error.message : ''),
    );
  }

  #show(fileName: string): Entry {
    const { list, template } = this.#options;
    const node = document.importNode(template.content, true).firstElementChild as HTMLElement;
    const entry: Entry = { node, sent: null };
    const button = node.querySelector('button');
    button?.setAttribute('aria-label', (list.dataset.remove ?? '').replace('{name}', fileName));
    button?.addEventListener('click', () => this.#remove(entry));
    write(node, '.name', fileName);
    list.append(node);
    list.hidden = false;
    this.#entries.add(entry);
    return entry;
  }

  /** Why a file cannot be uploaded; null when it can. */
  #refusalOf({ size }: File): string | null {
    const { most, largest, tooMany = '', empty = '', tooLarge = '' } = this.#options.list.dataset;
    if (this.#entries.size >= Number(most)) return tooMany;
    if (size === 0) return empty;
    return size > Number(largest) ? tooLarge : null;
  }

  /** Uploads a file. Throws an error whose message says why the file was rejected. */
  async #upload(file: File): Promise<SentFile> {
    const { name: fileName, type, size } = file;
    const signed = await this.#options.sign({ fileName, mimeType: type || 'application/octet-stream', size });
    const answer = (await signed.json()) as Upload & Refusal;
    if (!signed.ok) throw new Error(this.#reasonOf(answer));
    const { attachmentId, uploadUrl, method, headers } = answer;
    const signal = AbortSignal.timeout(uploadTimeout);
    const stored = await fetch(uploadUrl, { method, headers, body: file, credentials: 'omit', signal });
    if (!stored.ok) throw new Error(this.#reasonOf((await stored.json()) as Refusal));
    return { attachmentId, fileName };
  }

  /** The reason of a refusal, without the field name. */
  #reasonOf({ error = '', message = '', details }: Refusal): string {
    return refusalWords(this.#options.list.dataset.refusals, error, details?.[0]?.message ?? message);
  }

  #remove(entry: Entry): void {
    const hadFocus = entry.node.contains(document.activeElement);
    entry.node.remove();
    this.#entries.delete(entry);
    this.#keep();
    this.#options.list.hidden = this.#entries.size === 0;
    if (hadFocus) document.getElementById('text')?.focus();
  }

  /** Stores only selected and uploaded files: a reloaded page has no access to the content of a selected file. */
  #keep(): void {
    const uploaded = [...this.#entries].flatMap(({ sent }) => sent ?? []);
    keep(this.#options.storageKey, uploaded);
  }
}

function write(root: HTMLElement, selector: string, text: string): void {
  const element = root.querySelector(selector);
  if (element) element.textContent = text;
}
