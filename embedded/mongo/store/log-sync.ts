import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createPositionReader, nothingRequired, openDurableRecord, type Sync } from './durable-record.ts';
import { flushFolder } from './flush.ts';

/**
 * Brings commits to disk while the thread works. SQLite writes a transaction into its log, which is synced in the thread
 * pool. The transaction is acknowledged when that sync is over and the durable record names the transaction.
 */
export type LogSync = {
  /** Whether a transaction may begin: at most two are not on disk, which `verifyLog` relies on. */
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
  /** Runs `work` when all commits are on disk and so is the record of the last one, as a log that begins again requires. */
  whenRecorded: (work: () => void) => void;
  /** To be called when a part of the log, or all of it, was copied into the data file and is on disk there. */
  noteCopy: () => void;
  /** Removes the requirement on the log. To be called when the data file has all of it, and no commit follows. */
  clearRecord: () => void;
  /** To be called when the database is closed: before, it would take SQLite's locks on the file away. */
  close: () => void;
};

/** Over an open database, whose log file lasts as long as it is open. */
export function createLogSync(
  database: DatabaseSync,
  { syncLog = fdatasync, syncRecord }: { syncLog?: Sync | undefined; syncRecord?: Sync | undefined } = {},
): LogSync {
  const path = database.location() ?? '';
  const descriptor = openSync(`${path}-wal`, 'r+');
  flushFolder(dirname(path));
  const position = createPositionReader(database, descriptor);
  const record = openDurableRecord(path, position(), syncRecord);
  const state = createDurability();
  let isSyncing = false;
  const sync = () => {
    isSyncing = true;
    const commit = state.committed();
    const end = position();
    syncLog(descriptor, (error) => {
      // Thrown, it ends the process: the disk may have dropped what it was given, and would not say so again.
      if (error) throw error;
      isSyncing = false;
      if (state.committed() > commit) sync();
      if (commit <= state.durable()) return;
      record.write(end);
      state.reach(commit);
    });
  };
  return {
    mayBegin: () => state.committed() - state.durable() < 2,
    noteCommit: (changed) => {
      state.noteCommit(changed);
      if (!isSyncing) sync();
    },
    syncNow: () => {
      fdatasyncSync(descriptor);
      record.write(position());
      state.reach(state.committed());
    },
    whenDurable: state.whenDurable,
    whenRecorded: (work) => state.whenDurable(null, () => record.whenSynced(work)),
    noteCopy: record.noteCopy,
    clearRecord: () => record.writeNow(nothingRequired),
    close: () => {
      closeSync(descriptor);
      record.close();
    },
  };
}

/** Counts commits, and runs work when the commits that it waits for are on disk. */
function createDurability() {
  let committed = 0;
  let durable = 0;
  let waiting: { commit: number; work: () => void }[] = [];
  /** The last commit that may have changed a collection, for those that are not on disk. */
  const lastChanges = new Map<string | null, number>();

  const lastChangeOf = (collection: string): number =>
    Math.max(lastChanges.get(collection) ?? 0, lastChanges.get(null) ?? 0);
  return {
    committed: () => committed,
    durable: () => durable,
    noteCommit: (changed: Iterable<string | null>) => {
      committed += 1;
      for (const collection of changed) lastChanges.set(collection, committed);
    },
    reach: (commit: number) => {
      durable = Math.max(durable, commit);
      for (const [collection, change] of lastChanges) if (change <= durable) lastChanges.delete(collection);
      const ready = waiting.filter((one) => one.commit <= durable);
      waiting = waiting.filter((one) => one.commit > durable);
      for (const { work } of ready) work();
    },
    whenDurable: (collection: string | null, work: () => void) => {
      const commit = collection === null ? committed : lastChangeOf(collection);
      if (commit <= durable) work();
      else waiting.push({ commit, work });
    },
  };
}
