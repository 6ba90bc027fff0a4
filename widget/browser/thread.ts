import type { Api, Conversation, Message } from './api.ts';

const firstRead = 50;
const maxRead = 200;

type Listener = { onChange: () => void; onArrival: (messages: Message[]) => void };
/** Where reading backwards goes on; without `before` at the end of a conversation. */
type Earlier = { conversationId: string; before?: number };

/**
 * The visitor's messages. The truth is what is read after a sequence number: numbers have no gaps, so nothing is missed,
 * doubled or out of order, also after lost hints and connections.
 */
export class Thread {
  /** All messages that were read, the oldest first. */
  readonly messages: Message[] = [];
  /** Messages that the server acknowledged and that were not read yet, because others come before them. */
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

  /** Reads what has come since; calls at the same time share the reading. */
  sync(): Promise<void> {
    this.#isWanted = true;
    this.#reading ??= this.#readWhileWanted();
    return this.#reading;
  }

  /** An own message that the server has acknowledged. */
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

  /** Reads on, in the next conversation too where a message has begun one. */
  async #readOn(): Promise<void> {
    for (let next = await this.#readToEnd(); next; next = await this.#readToEnd()) {
      if (this.conversation) await this.#readToEnd(this.conversation.conversationId);
      this.conversation = next;
      this.#lastSeq = 0;
    }
  }

  /** Reads one conversation to its end, or the present one. Returns that where it is another. */
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
    const fresh = added.filter(({ seq }) => seq > this.#lastSeq);
    for (const message of fresh) {
      this.messages.push(message);
      this.#lastSeq = message.seq;
      const known = this.ahead.findIndex(({ messageId }) => messageId === message.messageId);
      if (known >= 0) this.ahead.splice(known, 1);
    }
    if (!this.#isFirst && fresh.length > 0) this.#listener.onArrival(fresh);
  }

  /** The end of the conversation before the oldest one that was read; null where there is none. */
  async #beforeAll(): Promise<Earlier | null> {
    const [conversationId, ...others] = this.#olderConversations ?? (await this.#older());
    this.#olderConversations = others;
    return conversationId ? { conversationId } : null;
  }

  /** The visitor's conversations before one, the latest first. */
  async #older(than = this.messages[0]?.conversationId): Promise<string[]> {
    const ids = (await this.#api.conversations()).map(({ conversationId }) => conversationId);
    return than === undefined ? [] : ids.slice(ids.indexOf(than) + 1);
  }
}
