import { keepAtEnd } from '../../web/client/keep-at-end.ts';
import { splitLinks } from '../../web/client/links.ts';
import type { Draft } from '../../web/client/outbox.ts';
import type { Message } from './api.ts';
import { el, write } from './dom.ts';
import type { Texts } from './texts.ts';

/** Draft content of the visitor. */
export type Written = { text: string; name?: string; email?: string };

type Shown = {
  messages: readonly Message[];
  ahead: readonly Message[];
  drafts: readonly Draft<Written>[];
  agentReadSeq: number;
  siteName: string;
};

type Acts = { retry: (echoId: string) => void; download: (message: Message, attachmentId: string) => void };
type Item = {
  key: string;
  isMine: boolean;
  message: Message | null;
  draft: Draft<Written> | null;
  at: Date;
  text: string;
};

const groupWithin = 5 * 60_000;
const nearEnd = 80;

/** Shows messages in an element with `role="log"`: each is added once, so that it is announced once. */
export class Log {
  readonly #root: HTMLElement;
  /** Last element above the messages. */
  readonly #top: HTMLElement;
  readonly #acts: Acts;
  readonly #texts: Texts;
  readonly #nodes = new Map<string, HTMLElement>();
  /** Keys of the drafts that became messages, by message. */
  readonly #keys = new Map<string, string>();

  constructor(root: HTMLElement, top: HTMLElement, acts: Acts, texts: Texts) {
    this.#root = root;
    this.#top = top;
    this.#acts = acts;
    this.#texts = texts;
    keepAtEnd(root);
  }

  /** Links an acknowledged draft to its message, which keeps the position on the screen. */
  join(echoId: string, messageId: string): void {
    this.#keys.set(messageId, echoId);
  }

  scrollToEnd(): void {
    this.#root.scrollTop = this.#root.scrollHeight;
  }

  show(shown: Shown): void {
    const { scrollHeight, scrollTop, clientHeight } = this.#root;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < nearEnd;
    this.#place(shown);
    // Keep the scroll position when earlier messages are prepended.
    if (isAtEnd) this.scrollToEnd();
    else if (scrollTop < nearEnd) this.#root.scrollTop = scrollTop + this.#root.scrollHeight - scrollHeight;
  }

  #place(shown: Shown): void {
    const items = this.#itemsOf(shown);
    const lastMine = items.findLast(({ isMine, message }) => isMine && message !== null);
    let last: Element = this.#top;
    let before: Item | null = null;
    for (const item of items) {
      const day = dayOf(item.at);
      if (!before || dayOf(before.at) !== day) {
        const make = () => el('p', { class: 'day' }, dayInWords(item.at, this.#texts));
        last = placeAfter(last, this.#nodeOf(`day:${day}`, make));
      }
      const node = this.#nodeOf(item.key, () => makeMessage(item, this.#acts, this.#texts));
      node.classList.toggle('grouped', before !== null && belongTogether(before, item, shown));
      const isLastMine = item === lastMine;
      describe(node, item, { isLastMine, shown, texts: this.#texts, acts: this.#acts });
      last = placeAfter(last, node);
      before = item;
    }
  }

  #nodeOf(key: string, make: () => HTMLElement): HTMLElement {
    const node = this.#nodes.get(key) ?? make();
    this.#nodes.set(key, node);
    return node;
  }

  #keyOf({ messageId }: Message): string {
    return this.#keys.get(messageId) ?? messageId;
  }

  #itemsOf({ messages, ahead, drafts }: Shown): Item[] {
    this.#joinLost(messages, drafts);
    const joined = new Set(this.#keys.values());
    const waiting = drafts.filter(({ echoId }) => !joined.has(echoId));
    return [
      ...[...messages, ...ahead].map((message): Item => {
        const { from, text, createdAt } = message;
        const [key, at] = [this.#keyOf(message), new Date(createdAt)];
        return { key, isMine: from === 'visitor', message, draft: null, at, text };
      }),
      ...waiting.map((draft): Item => {
        const { echoId: key, content } = draft;
        return { key, isMine: true, message: null, draft, at: new Date(), text: content.text };
      }),
    ];
  }

  /**
   * The response to a draft may be lost while its message is read. Drafts are sent one after another, so only the first
   * one can already be among the messages: until its response arrives, it is not shown twice.
   */
  #joinLost(messages: readonly Message[], drafts: readonly Draft<Written>[]): void {
    const draft = drafts.find(({ state }) => state === 'waiting');
    if (!draft?.wasTried || [...this.#keys.values()].includes(draft.echoId)) return;
    const { text } = draft.content;
    const isNew = (message: Message): boolean => !this.#nodes.has(this.#keyOf(message));
    const arrived = messages.findLast((one) => one.from === 'visitor' && one.text === text && isNew(one));
    if (arrived) this.join(draft.echoId, arrived.messageId);
  }
}

function placeAfter(last: Element, node: Element): Element {
  if (last.nextElementSibling !== node) last.after(node);
  return node;
}

function belongTogether(before: Item, item: Item, shown: Shown): boolean {
  const isNear = item.at.getTime() - before.at.getTime() < groupWithin;
  return isNear && before.isMine === item.isMine && nameOf(before, shown) === nameOf(item, shown);
}

function makeMessage({ isMine, message, at, text }: Item, acts: Acts, texts: Texts): HTMLElement {
  const bubble = el('div', { class: 'bubble', dir: 'auto' }, ...linked(text));
  for (const { attachmentId, fileName } of message?.attachments ?? []) {
    const button = el('button', { type: 'button', class: 'file', 'aria-label': texts.download(fileName) }, fileName);
    button.onclick = () => message && acts.download(message, attachmentId);
    bubble.append(button);
  }
  const time = el('time', { datetime: at.toISOString() }, timeInWords(at, texts));
  return el(
    'div',
    { class: isMine ? 'message mine' : 'message' },
    el('p', { class: 'author' }),
    bubble,
    el('p', { class: 'meta', 'aria-live': 'off' }, time, el('span', { class: 'state' })),
  );
}

type About = { isLastMine: boolean; shown: Shown; texts: Texts; acts: Acts };

/** Updates the variable parts of a shown message: its author and its delivery state. */
function describe(node: HTMLElement, item: Item, { isLastMine, shown, texts, acts }: About): void {
  const { draft, message, isMine } = item;
  node.classList.toggle('pending', draft !== null);
  node.classList.toggle('failed', draft?.state === 'failed');
  write(node.querySelector('.author'), isMine ? texts.you : nameOf(item, shown));
  const state = node.querySelector('.state');
  if (!state) return;
  if (draft?.state === 'failed') {
    if (state.childElementCount > 0) return;
    const again = el('button', { type: 'button' }, texts.again);
    again.onclick = () => acts.retry(draft.echoId);
    state.replaceChildren(`${texts.failed} ${draft.reason ?? ''} `, again);
  } else if (draft) write(state, texts.sending);
  else write(state, isLastMine ? (message && message.seq <= shown.agentReadSeq ? texts.read : texts.sent) : '');
}

function nameOf({ isMine, message }: Item, { siteName }: Shown): string {
  return isMine ? '' : (message?.name ?? siteName);
}

/** Renders a plain text with its URLs as links; never markup. */
export function linked(text: string): (Node | string)[] {
  return splitLinks(text).map((part) =>
    part.href === null
      ? part.text
      : el('a', { href: part.href, target: '_blank', rel: 'noopener noreferrer nofollow ugc' }, part.text),
  );
}

const dayOf = (at: Date): string => `${at.getFullYear()}-${at.getMonth()}-${at.getDate()}`;

function dayInWords(at: Date, texts: Texts): string {
  const days = Math.round((startOf(new Date()) - startOf(at)) / 86_400_000);
  if (days === 0) return texts.today;
  if (days === 1) return texts.yesterday;
  const year = at.getFullYear() === new Date().getFullYear() ? undefined : 'numeric';
  return new Intl.DateTimeFormat(texts.locale, { weekday: 'long', day: 'numeric', month: 'long', year }).format(at);
}

const startOf = (at: Date): number => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

const timeInWords = (at: Date, { locale }: Texts): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(at);
