import { createKeyedMutex } from '../../lib/one-at-a-time.ts';

const turns = createKeyedMutex();
const nameOf = (orgId: string, identifier: string): string => `${orgId}:${identifier}`;

/** Whether work that concerns one of the identifiers is under way, or waits for its turn. */
export function isBusy(orgId: string, identifiers: string[]): boolean {
  return identifiers.some((key) => turns.isBusy(nameOf(orgId, key)));
}

/**
 * Runs work of this process one after the other when it shares an identifier, so that a read and the composer do not
 * bring the same events into a story twice. Work that shares none runs at the same time.
 */
export function runInTurns<T>(orgId: string, identifiers: string[], work: () => Promise<T>): Promise<T> {
  return turns(
    identifiers.map((key) => nameOf(orgId, key)),
    work,
  );
}
