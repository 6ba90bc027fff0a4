import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { now } from '../../lib/clock.ts';
import { fail } from '../../lib/errors.ts';
import { insertEach } from '../../lib/insert-each.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { type EventDocument, EventModel } from '../../models/context/event.ts';
import { insertPending, newPendingEvent, orphanLife, removePending } from './pending-events.ts';

type Waiting = Insert & { resolve: (isInserted: boolean) => void; reject: (error: unknown) => void };

const maxBatchSize = 64;
/** Several commands in flight, so that the next batch gathers meanwhile. */
const commandsAtOnce = 4;

const waiting: Waiting[] = [];
let commands = 0;

const pauses = new EventEmitter();
pauses.setMaxListeners(0);

/**
 * Inserts an event and resolves when it is durable; false when its id was taken. Events that arrive while others are in
 * flight are batched into one command: under load that is most of what an insert costs. An event whose quota was
 * released, because this process had stalled, is not inserted.
 *
 * @throws UNAVAILABLE its quota is not reserved any more.
 */
export function insertEvent(document: EventDocument, isHeld: () => boolean): Promise<boolean> {
  return new Promise((resolve, reject) => {
    waiting.push({ document, isHeld, resolve, reject });
    insertWaiting();
  });
}

function insertWaiting(): void {
  if (commands === commandsAtOnce || waiting.length === 0) return;
  const group = waiting.splice(0, maxBatchSize);
  commands += 1;
  insertEvents(group.map(({ document, isHeld }) => ({ document, isHeld })))
    .then(
      (outcomes) =>
        group.forEach(({ resolve, reject }, place) => {
          const outcome = outcomes[place];
          if (outcome === 'released') reject(fail('UNAVAILABLE'));
          else resolve(outcome === 'inserted');
        }),
      (error) => group.forEach(({ reject }) => void reject(error)),
    )
    .finally(() => {
      commands -= 1;
      insertWaiting();
      if (commands === 0) pauses.emit('pause');
    });
}

/**
 * Resolves when no client is sending single events to this process, or when `signal` aborts. Waiting clients count as
 * sending: what has reached the sockets is read before this resolves.
 */
export async function pauseOfInserts(signal: AbortSignal): Promise<void> {
  while (commands > 0 && !signal.aborted) {
    await once(pauses, 'pause', { signal }).catch(() => undefined);
    // One turn of the event loop reads the requests, another sends their inserts to the database.
    await nextTurn();
    await nextTurn();
  }
}

/** An event to insert, and whether the quota that it is charged to is still reserved for this process. */
export type Insert = { document: EventDocument; isHeld: () => boolean };

/** `taken`: another event has the id; `released`: the quota was given back before the event was sent. */
export type InsertOutcome = 'inserted' | 'taken' | 'released';

/** The maximum time between a work item and its event: well below the time after which such work items are removed. */
const maxStall = orphanLife / 12;

/**
 * Inserts each event on its own, in one command, after the work items of all: an accepted event always has one. The
 * quota is checked right before the events are sent.
 *
 * @throws UNAVAILABLE this process stalled between the two commands.
 */
export async function insertEvents(inserts: Insert[]): Promise<InsertOutcome[]> {
  // An event without a customer is in no story, so it is no work.
  const items = inserts.map(({ document }) => (document.identifiers.length > 0 ? newPendingEvent(document) : null));
  const startedAt = now().getTime();
  await insertPending(items.flatMap((item) => item ?? []));
  if (now().getTime() - startedAt > maxStall) throw fail('UNAVAILABLE');
  const held = inserts.map(({ isHeld }) => isHeld());
  const sent = inserts.filter((_insert, place) => held[place]).map(({ document }) => document);
  const refused = await insertEach(nativeCollection<EventDocument>(EventModel), sent);
  let next = 0;
  const outcomes = held.map((isSent) => (isSent ? (refused.has(next++) ? 'taken' : 'inserted') : 'released'));
  // The stored event of a taken id has a work item of its own.
  await removePending(
    items.filter((item, place) => item && outcomes[place] !== 'inserted').flatMap((item) => item ?? []),
  );
  return outcomes;
}
