import { createKeyedMutex } from '../../lib/one-at-a-time.ts';

const turns = createKeyedMutex();
const nameOf = (orgId: string, identifier: string): string => `${orgId}:${identifier}`;

/** Whether work that concerns one of the identifiers is running or queued. */
export function isBusy(orgId: string, identifiers: string[]): boolean {
  return identifiers.some((key) => turns.isBusy(nameOf(orgId, key)));
}

/**
 * Serializes work of this process that shares an identifier, so that a read and the composer do not fold the same
 * events twice. Other work runs concurrently.
 */
export function runInTurns<T>(orgId: string, identifiers: string[], work: () => Promise<T>): Promise<T> {
  return turns(
    identifiers.map((key) => nameOf(orgId, key)),
    work,
  );
}
