/** A file of the storage that an answer may name. */
export type SentFile = { attachmentId: string; fileName: string };

type Entry = { node: HTMLElement; sent: SentFile | null };

type Options = {
  /** The list of the chosen files. Its `data-` attributes hold its words, and `data-most` how many there may be. */
  list: HTMLElement;
  template: HTMLTemplateElement;
  /** Asks the platform for a signed address to which a file can be uploaded. */
  sign: (about: { fileName: string; mimeType: string; size: number }) => Promise<Response>;
};

type Upload = { attachmentId: string; uploadUrl: string; method: string; headers: Record<string, string> };
type Refusal = { message?: string; details?: { message: string }[] };

const uploadTimeout = 300_000;

/** The files that are chosen for the next answer. Each is uploaded at once, so that sending the answer takes no time. */
export class ReplyFiles {
  readonly #options: Options;
  readonly #entries = new Set<Entry>();

  constructor(options: Options) {
    this.#options = options;
  }

  add(files: Iterable<File>): void {
    for (const file of files) this.#add(file);
  }

  /** The files of the answer that is sent now, which are chosen no more; null while one is not uploaded. */
  take(): SentFile[] | null {
    const files = [...this.#entries].map(({ sent }) => sent);
    if (!files.every((sent) => sent !== null)) return null;
    for (const entry of this.#entries) this.#remove(entry);
    return files;
  }

  #add(file: File): void {
    const { list, template } = this.#options;
    const { uploading = '', failed = '', remove = '' } = list.dataset;
    const node = document.importNode(template.content, true).firstElementChild as HTMLElement;
    const entry: Entry = { node, sent: null };
    const button = node.querySelector('button');
    button?.setAttribute('aria-label', remove.replace('{name}', file.name));
    button?.addEventListener('click', () => this.#remove(entry));
    write(node, '.name', file.name);
    const refuse = (why: string): void => {
      node.classList.add('failed');
      write(node, '.state', `${failed} ${why}`.trim());
    };
    list.append(node);
    list.hidden = false;
    const wrong = this.#refusalOf(file);
    this.#entries.add(entry);
    if (wrong !== null) {
      refuse(wrong);
      return;
    }
    write(node, '.state', uploading);
    this.#upload(file).then(
      (sent) => {
        entry.sent = sent;
        write(node, '.state', '');
      },
      (error: unknown) => refuse(error instanceof Error ? error.message : ''),
    );
  }

  /** Why a file is not even uploaded; null where it may be. */
  #refusalOf({ size }: File): string | null {
    const { most, largest, tooMany = '', empty = '', tooLarge = '' } = this.#options.list.dataset;
    if (this.#entries.size >= Number(most)) return tooMany;
    if (size === 0) return empty;
    return size > Number(largest) ? tooLarge : null;
  }

  /** Throws an error whose message says why the file was refused. */
  async #upload(file: File): Promise<SentFile> {
    const { name: fileName, type, size } = file;
    const signed = await this.#options.sign({ fileName, mimeType: type || 'application/octet-stream', size });
    const answer = (await signed.json()) as Upload & Refusal;
    if (!signed.ok) throw new Error(reasonOf(answer));
    const { attachmentId, uploadUrl, method, headers } = answer;
    const signal = AbortSignal.timeout(uploadTimeout);
    const stored = await fetch(uploadUrl, { method, headers, body: file, credentials: 'omit', signal });
    if (!stored.ok) throw new Error(reasonOf((await stored.json()) as Refusal));
    return { attachmentId, fileName };
  }

  #remove(entry: Entry): void {
    const hadFocus = entry.node.contains(document.activeElement);
    entry.node.remove();
    this.#entries.delete(entry);
    this.#options.list.hidden = this.#entries.size === 0;
    if (hadFocus) document.getElementById('text')?.focus();
  }
}

/** The reason of a refusal, without the name of the field. */
const reasonOf = ({ message, details }: Refusal): string | undefined => details?.[0]?.message ?? message;

function write(root: HTMLElement, selector: string, text: string): void {
  const element = root.querySelector(selector);
  if (element) element.textContent = text;
}
