import type { WidgetOptions } from './protocol.ts';

export type Conversation = {
  conversationId: string;
  status: 'open' | 'pending' | 'closed';
  lastSeq: number;
  unreadCount: number;
  readSeq: number;
  agentReadSeq: number;
};

export type Message = {
  messageId: string;
  conversationId: string;
  seq: number;
  from: 'visitor' | 'team';
  name: string | null;
  text: string;
  attachments: { attachmentId: string; fileName: string; mimeType: string; size: number }[];
  createdAt: string;
};

export type Session = {
  visitorToken: string;
  visitorId: string;
  isIdentified: boolean;
  site: { name: string; greeting: string; logoUrl: string | null };
  agentsOnline: boolean;
  conversation: Conversation | null;
};

type Page = { data: Message[]; hasMore: boolean; conversation: Conversation | null; agentsOnline: boolean };
type NewMessage = { text: string; echoId: string; name?: string; email?: string };

/** An error response. `code` is an error code of the platform. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  /** Milliseconds to wait; null when the response has none. */
  readonly retryAfter: number | null;

  constructor({ status, headers }: Response, { error = '', message = '' }: { error?: string; message?: string }) {
    super(message);
    this.status = status;
    this.code = error;
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    this.retryAfter = Number.isFinite(seconds) ? seconds * 1000 : null;
  }
}

/** Error codes that mean that no visitor may write on this page now. */
export const turnedOff = new Set([
  'SITE_DISABLED',
  'ORGANIZATION_SUSPENDED',
  'ORIGIN_REFUSED',
  'NOT_FOUND',
  'SERVICE_NOT_INCLUDED',
  'PAYMENT_REQUIRED',
  'VISITOR_BLOCKED',
]);

const timeout = 20_000;

/** The endpoints of the widget, with the visitor's token. */
export class Api {
  #token: string | null = null;

  /** Begins or continues a session; the other requests carry its token. */
  async begin(options: WidgetOptions, formerToken: string | null): Promise<Session> {
    this.#token = formerToken;
    const session = await this.#request<Session>('sessions', toInput(options));
    this.#token = session.visitorToken;
    return session;
  }

  list(query: Query): Promise<Page> {
    return this.#request(`messages?${new URLSearchParams(toStrings(query))}`);
  }

  async conversations(): Promise<Conversation[]> {
    return (await this.#request<{ data: Conversation[] }>('conversations')).data;
  }

  send(message: NewMessage): Promise<Message> {
    return this.#request('messages', message);
  }

  markRead(conversationId: string, seq: number): Promise<Conversation> {
    return this.#request('read', { conversationId, seq });
  }

  typing(): Promise<void> {
    return this.#request('typing', {});
  }

  /** Reads the bytes of an attachment. */
  async readFile({ conversationId }: Message, attachmentId: string): Promise<ArrayBuffer> {
    const query = new URLSearchParams({ conversationId });
    const { url } = await this.#request<{ url: string }>(`attachments/${encodeURIComponent(attachmentId)}?${query}`);
    const response = await fetch(url, { credentials: 'omit' });
    if (!response.ok) throw new Refused(response, {});
    return await response.arrayBuffer();
  }

  stream(lastId: string | null, signal: AbortSignal): Promise<Response> {
    const headers = { ...this.#authorization(), ...(lastId !== null && { 'last-event-id': lastId }) };
    return fetch('/v1/widget/stream', { credentials: 'omit', headers, cache: 'no-store', signal });
  }

  async #request<T>(path: string, body?: object): Promise<T> {
    const response = await fetch(`/v1/widget/${path}`, {
      method: body ? 'POST' : 'GET',
      credentials: 'omit',
      headers: { ...this.#authorization(), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeout),
    });
    if (response.status === 204) return undefined as T;
    const answer = (await response.json()) as T;
    if (!response.ok) throw new Refused(response, answer as object);
    return answer;
  }

  #authorization(): Record<string, string> {
    return this.#token === null ? {} : { authorization: `Bearer ${this.#token}` };
  }
}

type Query = { after?: number; before?: number; limit?: number; conversationId?: string };

const toStrings = (query: Query): [string, string][] =>
  Object.entries(query).map(([name, value]) => [name, String(value)]);

/** Selects the fields that the endpoint accepts: a page may pass more fields of its user. */
function toInput({ tenantId, siteId, user, userHash, locale }: WidgetOptions): object {
  const { id, name, email, issuedAt } = user ?? {};
  return {
    tenantId,
    ...(siteId && { siteId }),
    ...(id && { user: { id, ...(name && { name }), ...(email && { email }), ...(issuedAt && { issuedAt }) } }),
    ...(id && userHash && { userHash }),
    ...(locale && /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}$/i.test(locale) && { locale }),
  };
}
