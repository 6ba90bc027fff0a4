/** A business event as `POST /events` accepts it. `occurredAt` is RFC 3339 with an offset. */
export type BusinessEvent = {
  schemaVersion: string;
  tenantId: string;
  eventId: string;
  eventName: string;
  occurredAt: string | Date;
  actor: { type: string; id: string };
  source: { system: string; channel: string };
  payload: Record<string, unknown>;
};

/** What a story needs of a stored event. An `eventId` names one event: the store holds no two with the same. */
export type StoredEvent = Pick<BusinessEvent, 'eventId' | 'eventName' | 'occurredAt' | 'actor' | 'source' | 'payload'>;

/** Where an event stands in a customer's history: its instant as ISO 8601 with milliseconds, then its id. */
export type Position = {
  at: string;
  eventId: string;
};

/** Actors of these types are the customer an event is about. */
const customerActorTypes = new Set(['customer', 'contact', 'visitor', 'user']);

export function isCustomerActor(actorType: unknown): boolean {
  return typeof actorType === 'string' && customerActorTypes.has(actorType.trim().toLowerCase());
}

export function positionOf(event: Pick<StoredEvent, 'eventId' | 'occurredAt'>): Position {
  return { at: new Date(event.occurredAt).toISOString(), eventId: event.eventId };
}

/** Negative when `left` comes first. Code units, not a locale, decide between ids of one instant. */
export function comparePositions(left: Position, right: Position): number {
  const byInstant = Date.parse(left.at) - Date.parse(right.at);
  if (byInstant !== 0) return byInstant;
  if (left.eventId === right.eventId) return 0;
  return left.eventId < right.eventId ? -1 : 1;
}
