import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { flushFolder } from './flush.ts';

/**
 * Brings what is committed to disk beside the work of the thread. SQLite writes a transaction into its log and leaves the
 * sync to this, so that the next can be run meanwhile; who waits for an answer waits for the sync.
 */
export type LogSync = {
  /** Whether a transaction may begin: at most two are not on disk, which `requireSoundLog` relies on. */
  mayBegin: () => boolean;
  /**
   * To be called after each commit, with the collections that it may have changed; null among them stands for any. Its
   * sync begins now, or as soon as the one under way is over.
   */
  noteCommit: (changed: Iterable<string | null>) => void;
  /** Brings all that is committed to disk before it returns. */
  syncNow: () => void;
  /**
   * Runs `work` when all that is committed now of a collection is on disk, or with null of any: at once when it is, else in
   * the order of the calls.
   */
  whenDurable: (collection: string | null, work: () => void) => void;
  close: () => void;
};

export type Sync = (descriptor: number, done: (error: Error | null) => void) => void;

/** Over the log of an open database, whose file lasts as long as that is open. */
export function createLogSync(databasePath: string, syncFile: Sync = fdatasync): LogSync {
  const descriptor = openSync(`${databasePath}-wal`, 'r+');
  flushFolder(dirname(databasePath));
  let committed = 0;
  let durable = 0;
  let isSyncing = false;
  let waiting: { commit: number; work: () => void }[] = [];
  /** The last commit that may have changed a collection, for those that are not on disk. */
  const lastChanges = new Map<string | null, number>();

  const reach = (commit: number) => {
    durable = Math.max(durable, commit);
    for (const [collection, change] of lastChanges) if (change <= durable) lastChanges.delete(collection);
    const ready = waiting.filter((one) => one.commit <= durable);
    waiting = waiting.filter((one) => one.commit > durable);
    for (const { work } of ready) work();
  };
  const sync = () => {
    isSyncing = true;
    const commit = committed;
    syncFile(descriptor, (error) => {
      // Thrown, it ends the process: the disk may have dropped what it was given, and would not say so again.
      if (error) throw error;
      isSyncing = false;
      if (committed > commit) sync();
      reach(commit);
    });
  };
  const lastChangeOf = (collection: string): number =>
    Math.max(lastChanges.get(collection) ?? 0, lastChanges.get(null) ?? 0);
  return {
    mayBegin: () => committed - durable < 2,
    noteCommit: (changed) => {
      committed += 1;
      for (const collection of changed) lastChanges.set(collection, committed);
      if (!isSyncing) sync();
    },
    syncNow: () => {
      fdatasyncSync(descriptor);
      reach(committed);
    },
    whenDurable: (collection, work) => {
      const commit = collection === null ? committed : lastChangeOf(collection);
      if (commit <= durable) work();
      else waiting.push({ commit, work });
    },
    close: () => closeSync(descriptor),
  };
}
