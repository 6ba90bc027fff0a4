import type { Api, Conversation, Message } from './api.ts';

const firstRead = 50;
const maxRead = 200;

type Listener = { onChange: () => void; onArrival: (messages: Message[]) => void };
/** Position from which earlier messages are read; without `before` at the end of a conversation. */
type Earlier = { conversationId: string; before?: number };

/**
 * The visitor's messages. They are read by sequence number, which has no gaps, so that no message is missing,
 * duplicated or out of order, even after lost notifications and connections.
 */
export class Thread {
  /** All messages that were read, oldest first. */
  readonly messages: Message[] = [];
  /** Messages that the server acknowledged but that were not read yet, because others come before them. */
  readonly ahead: Message[] = [];
  conversation: Conversation | null = null;
  areAgentsOnline = false;
  readonly #api: Api;
  readonly #listener: Listener;
  #earlier: Earlier | null = null;
  #olderConversations: string[] | null = null;
  #lastSeq = 0;
  #isFirst = true;
  #reading: Promise<void> | null = null;
  #isWanted = false;

  constructor(api: Api, listener: Listener) {
    this.#api = api;
    this.#listener = listener;
  }

  get hasEarlier(): boolean {
    return this.#earlier !== null || (this.#olderConversations ?? []).length > 0;
  }

  /** Reads the new messages; concurrent calls share the request. */
  sync(): Promise<void> {
    this.#isWanted = true;
    this.#reading ??= this.#readWhileWanted();
    return this.#reading;
  }

  /** Adds the visitor's own message after the server acknowledged it. */
  accept(message: Message): void {
    const isPresent = message.conversationId === this.conversation?.conversationId;
    if (isPresent && message.seq <= this.#lastSeq) return;
    if (isPresent && message.seq === this.#lastSeq + 1) this.#append([message]);
    else this.ahead.push(message);
    this.#listener.onChange();
  }

  async loadEarlier(): Promise<void> {
    const from = this.#earlier ?? (await this.#beforeAll());
    if (from) {
      const page = await this.#api.list({ ...from, limit: firstRead });
      this.messages.unshift(...page.data);
      const [oldest] = page.data;
      this.#earlier = oldest && page.hasMore ? { conversationId: from.conversationId, before: oldest.seq } : null;
      if (!this.#earlier) this.#olderConversations ??= await this.#older();
    }
    this.#listener.onChange();
  }

  async markRead(): Promise<void> {
    const { conversation } = this;
    if (!conversation || conversation.readSeq >= this.#lastSeq) return;
    const read = await this.#api.markRead(conversation.conversationId, this.#lastSeq);
    if (read.conversationId === this.conversation?.conversationId) this.conversation = read;
    this.#listener.onChange();
  }

  noteAgentsRead(conversationId: string, seq: number): void {
    const { conversation } = this;
    if (conversation?.conversationId !== conversationId || seq <= conversation.agentReadSeq) return;
    this.conversation = { ...conversation, agentReadSeq: seq };
    this.#listener.onChange();
  }

  async #readWhileWanted(): Promise<void> {
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        if (this.#isFirst) await this.#readFirst();
        else await this.#readOn();
        this.#listener.onChange();
      }
    } finally {
      this.#reading = null;
    }
  }

  async #readFirst(): Promise<void> {
    const page = await this.#api.list({ limit: firstRead });
    this.conversation = page.conversation;
    this.areAgentsOnline = page.agentsOnline;
    const [oldest] = page.data;
    if (oldest && page.hasMore) this.#earlier = { conversationId: oldest.conversationId, before: oldest.seq };
    else if (oldest) this.#olderConversations = await this.#older(oldest.conversationId);
    this.#append(page.data);
    this.#isFirst = false;
  }

  /** Reads the new messages, including a new conversation that one of them began. */
  async #readOn(): Promise<void> {
    for (let next = await this.#readToEnd(); next; next = await this.#readToEnd()) {
      if (this.conversation) await this.#readToEnd(this.conversation.conversationId);
      this.conversation = next;
      this.#lastSeq = 0;
    }
  }

  /** Reads a conversation to its end, by default the latest. Returns the latest one when it is not the current one. */
  async #readToEnd(conversationId?: string): Promise<Conversation | null> {
    for (;;) {
      const after = this.#lastSeq;
      const page = await this.#api.list({ after, limit: maxRead, ...(conversationId && { conversationId }) });
      this.areAgentsOnline = page.agentsOnline;
      const { conversation } = page;
      if (conversation && conversation.conversationId !== this.conversation?.conversationId) return conversation;
      this.#append(page.data);
      this.conversation = conversation ?? this.conversation;
      if (!page.hasMore) return null;
    }
  }

  #append(added: Message[]): void {
    const unread = added.filter(({ seq }) => seq > this.#lastSeq);
    for (const message of unread) {
      this.messages.push(message);
      this.#lastSeq = message.seq;
      const aheadIndex = this.ahead.findIndex(({ messageId }) => messageId === message.messageId);
      if (aheadIndex >= 0) this.ahead.splice(aheadIndex, 1);
    }
    if (!this.#isFirst && unread.length > 0) this.#listener.onArrival(unread);
  }

  /** The end of the conversation before the oldest one that was read; null when there is none. */
  async #beforeAll(): Promise<Earlier | null> {
    const [conversationId, ...others] = this.#olderConversations ?? (await this.#older());
    this.#olderConversations = others;
    return conversationId ? { conversationId } : null;
  }

  /** The visitor's conversations before a given one, latest first. */
  async #older(than = this.messages[0]?.conversationId): Promise<string[]> {
    const ids = (await this.#api.conversations()).map(({ conversationId }) => conversationId);
    return than === undefined ? [] : ids.slice(ids.indexOf(than) + 1);
  }
}
