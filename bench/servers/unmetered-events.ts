import type { EventInput } from '../../services/context/ingest/event-input.ts';
import { type Outcome, storeEvent, storeEvents } from '../../services/context/ingest/store-events.ts';

/** Replaces `services/context/ingest/accept-events.ts`. */
export function acceptEvent(_ctx: unknown, orgId: string, event: EventInput): Promise<Outcome> {
  return storeEvent(orgId, event);
}

export function acceptEvents(_ctx: unknown, orgId: string, events: EventInput[]): Promise<Outcome[]> {
  return storeEvents(orgId, events);
}
