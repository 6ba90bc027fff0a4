import type { Middleware } from 'moleculer';
import { PassingMap } from '../lib/passers.ts';

/** Replaces the map in which a node of a pool has the calls that wait for another node; see {@link PassingMap}. */
export function pendingCalls(): Middleware {
  return {
    name: 'PendingCalls',
    created({ transit }) {
      if (transit) transit.pendingRequests = new PassingMap() as never;
    },
  };
}
