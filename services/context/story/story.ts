import { defaultLanguage, type Language } from '../../../lib/format/language.ts';
import { comparePositions, type StoredEvent } from './event.ts';
import { type Occurrence, toOccurrence } from './occurrence.ts';
import { reduceMessage } from './reducers/message.ts';
import { reduceOrder } from './reducers/order.ts';
import { reduceUnknownEvent } from './reducers/other.ts';
import { reducePage } from './reducers/page.ts';
import { reducePayment } from './reducers/payment.ts';
import { mergePersonFields, reducePerson } from './reducers/person.ts';
import { reduceSubscription } from './reducers/subscription.ts';
import { reduceTicket } from './reducers/ticket.ts';
import { writeSummary } from './render/summary.ts';
import { writeTitle } from './render/title.ts';
import { writerOf } from './render/writer.ts';
import { emptyState, type StoryState } from './state.ts';
import { positionOf } from './tiebreaker.ts';
import type { Family } from './vocabulary/events.ts';

export type Story = {
  customerId: string;
  /** One line of at most 200 code points: who it is and how they stand. */
  title: string;
  /** Three to six plain sentences. */
  summary: string;
  /** When the last event happened: ISO 8601, UTC, milliseconds. */
  updatedAt: string;
};

/**
 * The story of a customer: a pure function of the set of their events, in any order and with repetitions. Undefined
 * without events.
 */
export function composeStory(customerId: string, events: StoredEvent[], language?: Language): Story | undefined {
  return renderStory(customerId, inOrder(events).reduce(foldEvent, emptyState()), language);
}

/**
 * The state after one more event, which must come after all folded before (`comparePositions`). Pure; never throws on a
 * payload, only on an `occurredAt` that is not a date.
 */
export function foldEvent(state: StoryState, event: StoredEvent): StoryState {
  const last = positionOf(event);
  const occurrence = toOccurrence(event, last.at);
  const counted: StoryState = {
    ...state,
    eventCount: state.eventCount + 1,
    firstAt: state.firstAt ?? last.at,
    last,
    person: {
      ...mergePersonFields(state.person, occurrence.payload),
      isVisitor: occurrence.actorType === 'visitor' && (state.eventCount === 0 || state.person.isVisitor),
    },
  };
  const reduce = occurrence.family && reducers[occurrence.family];
  return reduce?.(counted, occurrence) ?? reduceUnknownEvent(counted, occurrence);
}

/** The story of a folded state; undefined before the first event. */
export function renderStory(
  customerId: string,
  state: StoryState,
  language: Language = defaultLanguage,
): Story | undefined {
  if (!state.last) return undefined;
  const writer = writerOf(language);
  return {
    customerId,
    title: writeTitle(customerId, state, writer),
    summary: writeSummary(customerId, state, writer).join(' '),
    updatedAt: state.last.at,
  };
}

/** The title of the story of a folded state alone; undefined before the first event. */
export function renderTitle(
  customerId: string,
  state: StoryState,
  language: Language = defaultLanguage,
): string | undefined {
  return state.last ? writeTitle(customerId, state, writerOf(language)) : undefined;
}

/** Sorted by position; each id once, where it comes first. */
function inOrder(events: StoredEvent[]): StoredEvent[] {
  const placed = events.map((event) => ({ event, position: positionOf(event) }));
  const sorted = placed.toSorted((left, right) => comparePositions(left.position, right.position));
  const firsts = new Map<string, StoredEvent>();
  for (const { event } of sorted) {
    if (!firsts.has(event.eventId)) firsts.set(event.eventId, event);
  }
  return [...firsts.values()];
}

/** undefined: the family has nothing to say to this action, and the event counts as any other. */
type Reducer = (state: StoryState, occurrence: Occurrence) => StoryState | undefined;

const reducers: Record<Family, Reducer> = {
  order: reduceOrder,
  payment: reducePayment,
  subscription: reduceSubscription,
  ticket: reduceTicket,
  message: reduceMessage,
  person: reducePerson,
  page: reducePage,
};
