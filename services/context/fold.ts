import { parseJson } from '../../lib/exact-json.ts';
import type { EventDocument } from '../../models/context/event.ts';
import { comparePositions, noTiebreaker, type Position, positionAt, type StoredEvent } from './story/event.ts';
import { parseIdentifierKey } from './story/identifiers.ts';
import { emptyState, type StoryState } from './story/state.ts';
import { foldEvent } from './story/story.ts';

/** The fold of a customer's events. `customerId` is the id in the first event that has one. */
export type Fold = { state: StoryState; customerId: string | null; firstKey: string | null };

/** The fold of the first `count` events, as JSON; the position is the position of the last of them. */
export type Checkpoint = Position & { count: number; fold: string };

/** `isBehind`: events after the last folded one may exist, so the story has to wait for them. */
export type Progress = { fold: Fold; checkpoints: Checkpoint[]; isBehind: boolean };

/** The distance of the last checkpoints in events; it doubles with their distance from the end. */
const spacing = 64;
/** The maximum bytes of one customer's checkpoints; beyond it every second one is dropped. */
const maxCheckpointBytes = 256 * 1024;

export function emptyProgress(isBehind: boolean): Progress {
  return { fold: emptyFold(), checkpoints: [], isBehind };
}

function emptyFold(): Fold {
  return { state: emptyState(), customerId: null, firstKey: null };
}

/**
 * Folds events that were just assigned to the customer into the progress. Events after the last folded one continue the
 * fold. An event before it, or an expired one, rewinds the fold to the checkpoint before the event: the following
 * events must be read again. A fold that is behind reads the events when it is continued.
 */
export function foldEvents(progress: Progress, events: EventDocument[]): Progress {
  const { last } = progress.fold.state;
  const positioned = events.map((event) => ({ event, place: foldKeyOf(event) }));
  positioned.sort((left, right) => comparePositions(left.place, right.place));
  const [earliest] = positioned;
  if (earliest && last && comparePositions(earliest.place, last) <= 0) return rewind(progress, earliest.place);
  if (progress.isBehind) return progress;
  return positioned.reduce((brought, { event }) => (event.expired ? brought : addEvent(brought, event)), progress);
}

/** A fold as it is stored, by any version of the composer. */
export type StoredFold = { foldState: string | null; checkpoints: Checkpoint[] };

/**
 * Rewinds the fold of another version of the composer to the checkpoint before the earliest of these events, as
 * `foldEvents` does; null when they all happened after its last event. It relies on the envelope alone, which every
 * version keeps: `state.last.at` and a checkpoint's `at` are the instant of the last event, and a checkpoint's `fold`
 * is a `foldState`. Versions order the events of one instant in different ways, so it rewinds to before the instant.
 */
export function rewindStored({ foldState, checkpoints }: StoredFold, events: EventDocument[]): StoredFold | null {
  if (foldState === null) return null;
  const { last } = (JSON.parse(foldState) as Fold).state;
  const earliest = Math.min(...events.map(({ occurredAt = new Date(0) }) => occurredAt.getTime()));
  if (!last || earliest > Date.parse(last.at)) return null;
  const kept = checkpoints.filter(({ at }) => Date.parse(at) < earliest);
  return { foldState: kept.at(-1)?.fold ?? null, checkpoints: kept };
}

/** Folds one more event, which must come after all folded before. */
export function addEvent(progress: Progress, event: EventDocument): Progress {
  const { state, customerId, firstKey } = progress.fold;
  const fold = {
    state: foldEvent(state, toStoredEvent(event)),
    customerId: customerId ?? customerIdOf(event),
    firstKey: firstKey ?? event.identifiers[0] ?? null,
  };
  const count = fold.state.eventCount;
  if (count % spacing !== 0) return { ...progress, fold };
  const checkpoint = { ...foldKeyOf(event), count, fold: JSON.stringify(fold) };
  return { ...progress, fold, checkpoints: thin([...progress.checkpoints, checkpoint], count) };
}

function rewind({ checkpoints }: Progress, position: Position): Progress {
  const kept = checkpointsBefore(checkpoints, position);
  const nearest = kept.at(-1);
  return { fold: nearest ? JSON.parse(nearest.fold) : emptyFold(), checkpoints: kept, isBehind: true };
}

function checkpointsBefore(checkpoints: Checkpoint[], position: Position): Checkpoint[] {
  return checkpoints.filter((checkpoint) => comparePositions(checkpoint, position) < 0);
}

/**
 * Keeps about one checkpoint for each doubling of the distance from the end: a rewind costs about as much as the event
 * is late, and a customer with a million events has 15. A count that is kept at a greater distance was kept at every
 * lesser one.
 */
function thin(checkpoints: Checkpoint[], count: number): Checkpoint[] {
  let kept = checkpoints.filter((checkpoint) => checkpoint.count % grainAt(count - checkpoint.count) === 0);
  while (kept.length > 1 && checkpointBytes(kept) > maxCheckpointBytes) {
    const { length } = kept;
    kept = kept.filter((_checkpoint, index) => (length - index) % 2 === 1);
  }
  return kept;
}

function grainAt(distance: number): number {
  return spacing * 2 ** Math.floor(Math.log2(Math.max(1, distance / spacing)));
}

/** The approximate stored size of checkpoints in bytes. */
export function checkpointBytes(checkpoints: Checkpoint[]): number {
  return checkpoints.reduce((sum, { fold }) => sum + fold.length, 0);
}

/** The position of an event among the events of its customer. */
export function foldKeyOf({ eventId, occurredAt = new Date(0), tiebreaker = noTiebreaker }: EventDocument): Position {
  return positionAt(occurredAt, tiebreaker, eventId);
}

function customerIdOf(event: EventDocument): string | null {
  const identifier = event.identifiers.map(parseIdentifierKey).find((candidate) => candidate?.type === 'id');
  return identifier?.value ?? null;
}

/** An event in the form of the story's pure functions. */
export function toStoredEvent(event: EventDocument): StoredEvent {
  return {
    eventId: event.eventId,
    eventName: event.eventName ?? '',
    occurredAt: event.occurredAt ?? new Date(0),
    actor: event.actor ?? { type: '', id: '' },
    source: event.source ?? { system: '', channel: '' },
    payload: parseJson(event.payload ?? '{}'),
    tiebreaker: event.tiebreaker ?? noTiebreaker,
  };
}
