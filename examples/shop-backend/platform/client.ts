import { type CallOptions, createClient, type Operation, PlatformError } from 'platform-sdk';
import type { Connection } from './connection.ts';
import { pacedFetch } from './pace.ts';

/** The body of `POST /events`. Its `eventId` stays with the event: sent again, it returns 409 and changes nothing. */
export type BusinessEvent = CallOptions<Operation<'/events', 'post'>>['body'];

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

/** The calls of a shop. The platform's client repeats transient failures; permanent ones throw a `PlatformError`. */
export function openPlatform({ url, apiKey, tenantId }: Connection): Client {
  const platform = createClient({ url, token: apiKey, tenantId, timeout: 15_000, maxAttempts: 8, fetch: pacedFetch() });
  return {
    async sendEvent(event) {
      try {
        await platform.post('/events', { body: event });
        return { eventId: event.eventId, status: 'accepted' };
      } catch (error) {
        return asResult(event, error);
      }
    },
    async sendBatch(events) {
      const { results } = await platform.post('/events/batch', { body: { events } });
      return results as EventResult[];
    },
    storyOfCustomer: (customerId) => platform.get('/v1/story/customers/{customerId}', { path: { customerId } }),
    resolveStory: (q) => platform.get('/v1/story/resolve', { query: { q } }),
  };
}

/**
 * Maps a refusal to the result of this event: 409 means that it exists already (from an earlier run); 400 means that it
 * is invalid, while others may be valid. Any other refusal concerns every event and ends the run.
 */
function asResult({ eventId }: BusinessEvent, error: unknown): EventResult {
  if (!(error instanceof PlatformError)) throw error;
  const { status, code, message } = error;
  if (status === 409) return { eventId, status: 'duplicate', error: code, message };
  if (status === 400) return { eventId, status: 'rejected', error: code, message };
  throw error;
}
