import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fail } from '../../lib/errors.ts';
import { insertEach } from '../../lib/insert-each.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { type EventDocument, EventModel } from '../../models/context/event.ts';

/** `isHeld`: whether the quota that the event is charged to is still reserved for this process. */
type Waiting = {
  document: EventDocument;
  isHeld: () => boolean;
  resolve: (isInserted: boolean) => void;
  reject: (error: unknown) => void;
};

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
  const group = heldOf(waiting.splice(0, maxBatchSize));
  if (group.length === 0) {
    insertWaiting();
    return;
  }
  commands += 1;
  insertEvents(group.map(({ document }) => document))
    .then(
      (refused) => group.forEach(({ resolve }, place) => void resolve(!refused.has(place))),
      (error) => group.forEach(({ reject }) => void reject(error)),
    )
    .finally(() => {
      commands -= 1;
      insertWaiting();
      if (commands === 0) pauses.emit('pause');
    });
}

/** Rejects events whose quota is not reserved any more, right before the others are sent. */
function heldOf(group: Waiting[]): Waiting[] {
  return group.filter(({ isHeld, reject }) => {
    const isAllowed = isHeld();
    if (!isAllowed) reject(fail('UNAVAILABLE'));
    return isAllowed;
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

/** Inserts each event on its own, in one command; returns the positions of those whose id was taken. */
export function insertEvents(documents: EventDocument[]): Promise<Set<number>> {
  return insertEach(nativeCollection<EventDocument>(EventModel), documents);
}
