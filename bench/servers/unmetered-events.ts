import { type Outcome, storeEvent, storeEvents } from '../../services/context/ingest/accept-events.ts';
import type { EventInput } from '../../services/context/ingest/create-events.ts';

/** Replaces `services/context/ingest/accept-events.ts`. */
export function acceptEvent(_ctx: unknown, orgId: string, event: EventInput): Promise<Outcome> {
  return storeEvent(orgId, event);
}

export function acceptEvents(_ctx: unknown, orgId: string, events: EventInput[]): Promise<Outcome[]> {
  return storeEvents(orgId, events);
}
