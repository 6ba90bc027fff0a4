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

/**
 * What a story needs of a stored event. An `eventId` names one event: the store holds no two with the same.
 * `tiebreaker` is stored with the event; without it, it is computed.
 */
export type StoredEvent = Pick<
  BusinessEvent,
  'eventId' | 'eventName' | 'occurredAt' | 'actor' | 'source' | 'payload'
> & { tiebreaker?: number };

/** The content of an event, without its id. */
export type EventContent = Omit<StoredEvent, 'eventId' | 'tiebreaker'>;

/**
 * The position of an event in a customer's history: its instant as ISO 8601 with milliseconds, then its tiebreaker,
 * then its id, with a prefix.
 */
export type Position = {
  at: string;
  tiebreaker: number;
  eventId: string;
};

/** The tiebreaker of an event that was stored without one: it comes before the others of its instant. */
export const noTiebreaker = -1;

/**
 * Versions of the composer before 4 compare `at` and `eventId` alone. The prefix comes after every id, so they rewind a
 * fold of a later version for any event of its last instant (decision 0050).
 */
const idPrefix = '~';

/** Actors of these types are the customer an event is about. */
const customerActorTypes = new Set(['customer', 'contact', 'visitor', 'user']);

export function isCustomerActor(actorType: unknown): boolean {
  return typeof actorType === 'string' && customerActorTypes.has(actorType.trim().toLowerCase());
}

export function positionAt(occurredAt: string | Date, tiebreaker: number, eventId: string): Position {
  return { at: new Date(occurredAt).toISOString(), tiebreaker, eventId: idPrefix + eventId };
}

/** The id of the event at a position. */
export function idAt({ eventId }: Position): string {
  return eventId.slice(idPrefix.length);
}

/** Negative when `left` comes first. Code units, not a locale, decide between ids. */
export function comparePositions(left: Position, right: Position): number {
  const byInstant = Date.parse(left.at) - Date.parse(right.at) || left.tiebreaker - right.tiebreaker;
  if (byInstant !== 0) return byInstant;
  if (left.eventId === right.eventId) return 0;
  return left.eventId < right.eventId ? -1 : 1;
}
