import type { Connection } from './connection.ts';
import { createPace, type Pace } from './pace.ts';
import { PassingFailure, readRetryAfter, withRetries } from './retry.ts';

/** Request body of `POST /events`. */
export type BusinessEvent = {
  schemaVersion: '1.0';
  tenantId: string;
  /** UUID that stays with the event: sending it again returns 409 and changes nothing. */
  eventId: string;
  eventName: string;
  /** ISO 8601, UTC. */
  occurredAt: string;
  actor: { type: string; id: string };
  source: { system: string; channel: string };
  payload: Record<string, unknown>;
};

export type EventResult =
  | { eventId: string; status: 'accepted' }
  | { eventId: string; status: 'duplicate' | 'rejected'; error: string; message: string };

export type Story = { customerId: string; title: string; summary: string; updatedAt: string };

export type Client = {
  sendEvent: (event: BusinessEvent) => Promise<EventResult>;
  /** Sends at most 500 events; the results are in the same order. */
  sendBatch: (events: BusinessEvent[]) => Promise<EventResult[]>;
  storyOfCustomer: (customerId: string) => Promise<Story>;
  /** Reads the story of the customer with this email, phone number or id. */
  resolveStory: (query: string) => Promise<Story>;
};

/** A request that the platform rejected permanently. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const timeoutMilliseconds = 15_000;

/** Calls of a shop. Transient failures are retried; permanent ones throw a {@link Refusal}. */
export function createClient(connection: Connection): Client {
  const pace = createPace();
  const get = <T>(path: string) => withRetries(() => request<T>(connection, pace, path));
  const post = <T>(path: string, body: unknown) => withRetries(() => request<T>(connection, pace, path, body));
  return {
    sendEvent: (event) => post<EventResult>('/events', event).catch((error) => asResult(event, error)),
    sendBatch: async (events) => (await post<{ results: EventResult[] }>('/events/batch', { events })).results,
    storyOfCustomer: (customerId) => get(`/v1/story/customers/${encodeURIComponent(customerId)}`),
    resolveStory: (query) => get(`/v1/story/resolve?q=${encodeURIComponent(query)}`),
  };
}

async function request<T>(connection: Connection, pace: Pace, path: string, body?: unknown): Promise<T> {
  const { url, apiKey, tenantId } = connection;
  await pace.turn();
  const response = await exchange(pace, `${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'x-tenant-id': tenantId,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  if (response.status < 400) return JSON.parse(response.text) as T;
  throw failure(response, path);
}

type Exchange = { status: number; retryAfter: string | null; text: string };

/** A request without a complete response may or may not have been processed; event ids make it safe to retry. */
async function exchange(pace: Pace, url: string, init: RequestInit): Promise<Exchange> {
  try {
    const response = await fetch(url, init);
    pace.note(response.headers);
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
  } catch (cause) {
    throw new PassingFailure(`No answer from ${url}.`, 0, { cause });
  }
}

function failure({ status, retryAfter, text }: Exchange, path: string): Error {
  const { error, message } = parseError(text);
  const sentence = `${path} answered ${status} ${error}: ${message}`;
  if (status === 429 || status >= 500) return new PassingFailure(sentence, readRetryAfter(retryAfter));
  return new Refusal(status, error, sentence);
}

function parseError(text: string): { error: string; message: string } {
  try {
    const { error, message } = JSON.parse(text);
    return { error: String(error), message: String(message) };
  } catch {
    return { error: 'UNREADABLE', message: text.slice(0, 200) };
  }
}

/**
 * Maps a refusal to the result of this event: 409 means that it exists already (perhaps from an attempt whose response
 * was lost); 400 means that it is invalid, while others may be valid. Any other refusal concerns every event and ends
 * the run.
 */
function asResult({ eventId }: BusinessEvent, error: unknown): EventResult {
  if (!(error instanceof Refusal)) throw error;
  const { status, code, message } = error;
  if (status === 409) return { eventId, status: 'duplicate', error: code, message };
  if (status === 400) return { eventId, status: 'rejected', error: code, message };
  throw error;
}
