import type { mongo } from 'mongoose';
import { Passers } from '../lib/passers.ts';

/** Of the driver's client, by version 7: what it closes at its end. */
const names = ['activeSessions', 'activeCursors'] as const;

/**
 * Replaces the driver's sets of open sessions and cursors, which it fills and empties with every operation; see
 * {@link Passers} for what that costs. They are internal to the driver: one that does not have them is left as it is.
 * Call it before the client is used. Returns whether both were replaced.
 */
export function replaceOpenSets(client: mongo.MongoClient): boolean {
  const { s: internals } = client as unknown as { s?: Record<string, unknown> };
  const found = names.filter((name) => internals?.[name] instanceof Set);
  for (const name of found) Object.assign(internals ?? {}, { [name]: new Passers() });
  return found.length === names.length;
}
