/** The end of the last work of each name in this process: an organization's identifier. */
const ends = new Map<string, Promise<void>>();

/** Whether work that concerns one of the identifiers is under way, or waits for its turn. */
export function isBusy(orgId: string, identifiers: string[]): boolean {
  return identifiers.some((key) => ends.has(`${orgId}:${key}`));
}

/**
 * Runs work of this process one after the other when it shares an identifier, so that a read and the composer do not
 * bring the same events into a story twice. Work that shares none runs at the same time. A turn depends only on turns
 * that were asked for before it, so turns never wait for each other.
 */
export async function inTurn<T>(orgId: string, identifiers: string[], work: () => Promise<T>): Promise<T> {
  const names = [...new Set(identifiers)].map((key) => `${orgId}:${key}`);
  const former = names.map((name) => ends.get(name));
  const mine = Promise.all(former).then(work);
  const end = mine.then(
    () => undefined,
    () => undefined,
  );
  for (const name of names) ends.set(name, end);
  try {
    return await mine;
  } finally {
    for (const name of names) if (ends.get(name) === end) ends.delete(name);
  }
}
