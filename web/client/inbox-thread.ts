import { keepAtEnd } from './keep-at-end.ts';
import type { Draft } from './outbox.ts';
import type { SentFile } from './reply-files.ts';

/** Draft content of an agent: a reply, or an internal note, which has no files. */
export type Written = { kind: 'reply' | 'note'; text: string; files: SentFile[] };

const nearEnd = 120;

/** Messages of the open conversation: server messages in order, followed by unacknowledged drafts. */
export class InboxThread {
  readonly #root: HTMLElement;
  readonly #template: HTMLTemplateElement;
  readonly #retry: (echoId: string) => void;
  readonly #pending = new Map<string, HTMLElement>();
  /** Drafts that the server has acknowledged but that have not been read yet, by message. */
  readonly #acknowledged = new Map<string, string>();
  /** Drafts that are already among the messages, although their response may be lost. */
  readonly #joined = new Set<string>();
  lastSeq: number;

  constructor(root: HTMLElement, template: HTMLTemplateElement, retry: (echoId: string) => void) {
    this.#root = root;
    this.#template = template;
    this.#retry = retry;
    this.lastSeq = Math.max(0, ...this.#articles(root).map(seqOf));
    keepAtEnd(root);
  }

  scrollToEnd(): void {
    this.#root.scrollTop = this.#root.scrollHeight;
    // On a phone the details come after the conversation, and stay below.
    if (this.#isPageScrolled()) this.#root.parentElement?.scrollIntoView({ block: 'end' });
  }

  acknowledge(echoId: string, messageId: string): void {
    const isShown = this.#articles(this.#root).some(({ dataset }) => dataset.id === messageId);
    if (isShown) this.#takeAway(echoId);
    else this.#acknowledged.set(messageId, echoId);
  }

  /** Appends the new messages of a newer page. Returns whether the server has more after these. */
  append(newer: Document, drafts: readonly Draft<Written>[]): boolean {
    const source = newer.getElementById('thread');
    if (!source) return false;
    const added = this.#articles(source).filter((article) => seqOf(article) > this.lastSeq);
    const isAtEnd = this.#isAtEnd();
    for (const article of added) {
      this.#join(article, drafts);
      const [waiting] = this.#pending.values();
      (waiting ?? this.#end()).before(document.importNode(article, true));
      this.lastSeq = seqOf(article);
    }
    this.#showSeen(Number(source.dataset.readSeq));
    if (added.length > 0 && isAtEnd) this.scrollToEnd();
    return added.length > 0 && this.lastSeq < Number(source.dataset.lastSeq);
  }

  /** Prepends the messages of an earlier page. */
  prepend(earlier: Document): void {
    const source = earlier.getElementById('thread');
    if (!source) return;
    const height = this.#root.scrollHeight;
    const first = this.#articles(this.#root)[0] ?? this.#end();
    first.before(...this.#articles(source).map((article) => document.importNode(article, true)));
    this.#root.querySelector('.earlier')?.remove();
    const link = source.querySelector('.earlier');
    if (link) this.#root.prepend(document.importNode(link, true));
    this.#root.scrollTop += this.#root.scrollHeight - height;
  }

  /** Shows the drafts that are not among the messages yet. */
  showDrafts(drafts: readonly Draft<Written>[]): void {
    const kept = new Set([...drafts.map(({ echoId }) => echoId), ...this.#acknowledged.values()]);
    for (const [echoId, node] of this.#pending) {
      if (kept.has(echoId)) continue;
      node.remove();
      this.#pending.delete(echoId);
    }
    for (const draft of drafts) if (!this.#joined.has(draft.echoId)) this.#showDraft(draft);
  }

  #showDraft(draft: Draft<Written>): void {
    const existing = this.#pending.get(draft.echoId);
    const node = existing ?? this.#make(draft);
    const isFailed = draft.state === 'failed';
    node.classList.toggle('failed', isFailed);
    node.querySelector('[data-sending]')?.toggleAttribute('hidden', isFailed);
    node.querySelector('[data-failed]')?.toggleAttribute('hidden', !isFailed);
    if (existing) return;
    this.#pending.set(draft.echoId, node);
    this.#end().before(node);
  }

  #make({ echoId, content }: Draft<Written>): HTMLElement {
    const node = document.importNode(this.#template.content, true).firstElementChild as HTMLElement;
    const isNote = content.kind === 'note';
    node.classList.toggle('note', isNote);
    node.classList.toggle('team', !isNote);
    node.querySelector('[data-note]')?.toggleAttribute('hidden', !isNote);
    const bubble = node.querySelector('.bubble');
    if (bubble) bubble.textContent = content.text;
    bubble?.toggleAttribute('hidden', content.text === '');
    const files = node.querySelector('.files');
    for (const { fileName } of content.files) files?.appendChild(document.createElement('li')).append(fileName);
    node.querySelector('button')?.addEventListener('click', () => this.#retry(echoId));
    return node;
  }

  /**
   * Removes the draft that became this message. The response to an attempt may be lost; drafts are sent one after
   * another, so only the first draft can be this message in that case.
   */
  #join(article: HTMLElement, drafts: readonly Draft<Written>[]): void {
    const messageId = article.dataset.id ?? '';
    const head = drafts.find(({ state, echoId }) => state === 'waiting' && !this.#joined.has(echoId));
    const isHead = 'own' in article.dataset && head?.wasTried && textOf(article) === head.content.text;
    const echoId = this.#acknowledged.get(messageId) ?? (isHead ? head?.echoId : undefined);
    this.#acknowledged.delete(messageId);
    if (echoId !== undefined) this.#takeAway(echoId);
  }

  /** Whether the visitor has read the last answer. */
  #showSeen(readSeq: number): void {
    const last = this.#articles(this.#root).findLast(({ classList }) => classList.contains('team'));
    const seen = document.getElementById('seen');
    if (seen) seen.textContent = last && seqOf(last) <= readSeq ? (seen.dataset.words ?? '') : '';
  }

  #takeAway(echoId: string): void {
    this.#joined.add(echoId);
    this.#pending.get(echoId)?.remove();
    this.#pending.delete(echoId);
  }

  #articles(root: ParentNode): HTMLElement[] {
    return [...root.querySelectorAll<HTMLElement>('article[data-seq]')];
  }

  #end(): Element {
    return this.#root.lastElementChild ?? this.#root;
  }

  #isPageScrolled(): boolean {
    return this.#root.scrollHeight <= this.#root.clientHeight + 1;
  }

  #isAtEnd(): boolean {
    if (this.#isPageScrolled()) return this.#end().getBoundingClientRect().bottom - innerHeight < nearEnd;
    const { scrollHeight, scrollTop, clientHeight } = this.#root;
    return scrollHeight - scrollTop - clientHeight < nearEnd;
  }
}

const seqOf = ({ dataset }: HTMLElement): number => Number(dataset.seq);
const textOf = (article: HTMLElement): string => article.querySelector('.bubble')?.textContent ?? '';
