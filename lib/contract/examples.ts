import { createHash } from 'node:crypto';
import { idFrom, idRandomBytes } from '../data/ids.ts';

/** The instant of everything in the examples of the API document. */
export const exampleInstant = '2026-03-02T09:30:00.000Z';

/**
 * The id of a resource in the examples of the API document: the same for the same name in all of them, so that the
 * examples are consistent. `exampleId('org')` is the organization, `exampleId('usr', 'grace')` its other member.
 */
export function exampleId(prefix: string, name = ''): string {
  const bytes = createHash('sha256').update(`${prefix} ${name}`).digest().subarray(0, idRandomBytes);
  return idFrom(prefix, new Date(exampleInstant), bytes);
}
