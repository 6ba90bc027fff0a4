import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { insertEach } from '../../lib/insert-each.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import { type EventDocument, EventModel } from '../../models/context/event.ts';

type Waiting = { document: EventDocument; resolve: (isInserted: boolean) => void; reject: (error: unknown) => void };

const mostTogether = 64;
/** Some on their way to the disk while the next gather. */
const commandsAtOnce = 4;

const waiting: Waiting[] = [];
let commands = 0;

const pauses = new EventEmitter();
pauses.setMaxListeners(0);

/**
 * Inserts an event and resolves when it is durable; false when its id was taken. Events that come while others are on
 * their way go together in one command: under load that is most of what an insert costs.
 */
export function insertEvent(document: EventDocument): Promise<boolean> {
  return new Promise((resolve, reject) => {
    waiting.push({ document, resolve, reject });
    insertWaiting();
  });
}

function insertWaiting(): void {
  if (commands === commandsAtOnce || waiting.length === 0) return;
  const group = waiting.splice(0, mostTogether);
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

/**
 * Resolves when nobody is sending single events to this process, or when `signal` aborts. Clients that wait for their
 * turn count as sending: what has reached the sockets is read before this resolves.
 */
export async function pauseOfInserts(signal: AbortSignal): Promise<void> {
  while (commands > 0 && !signal.aborted) {
    await once(pauses, 'pause', { signal }).catch(() => undefined);
    // One turn of the event loop reads the requests, another brings what became of them to the database.
    await nextTurn();
    await nextTurn();
  }
}

/** Inserts each event on its own, in one command; gives the places of those whose id was taken. */
export function insertEvents(documents: EventDocument[]): Promise<Set<number>> {
  return insertEach(nativeCollection<EventDocument>(EventModel), documents);
}
