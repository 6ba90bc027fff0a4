import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createPositionReader, nothingRequired, openDurableRecord, type Sync } from './durable-record.ts';
import { flushFolder } from './flush.ts';

/**
 * Syncs commits to disk concurrently with the thread. SQLite writes a transaction into its log, which is synced in the
 * thread pool: a separate thread would cost 17 MiB. The transaction is acknowledged when that sync has finished and the
 * durable record names the transaction.
 */
export type LogSync = {
  /** Whether a transaction may begin: at most two are not on disk, which `verifyLog` relies on. */
  mayBegin: () => boolean;
  /**
   * Called after each commit, with the collections that it may have changed; null stands for any collection. The sync
   * begins now, or as soon as the one in flight has finished.
   */
  noteCommit: (changed: Iterable<string | null>) => void;
  /** Syncs all commits to disk before it returns. */
  syncNow: () => void;
  /**
   * Runs `work` when all current commits that may have changed a collection, or with null all commits, are on disk:
   * immediately when they are, otherwise in the order of the calls.
   */
  whenDurable: (collection: string | null, work: () => void) => void;
  /** Runs `work` when all commits and the record of the last one are on disk, which a restart of the log requires. */
  whenRecorded: (work: () => void) => void;
  /** Called when a part of the log, or all of it, was copied into the data file and is on disk there. */
  noteCopy: () => void;
  /** Clears the requirement on the log. Called when the data file has all of it, and no commit follows. */
  clearRecord: () => void;
  /** Called after the database was closed: closing a descriptor earlier would release SQLite's locks on the file. */
  close: () => void;
};

/** Syncs the log of an open database; the log file exists as long as the database is open. */
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
      // Throwing here ends the process: the disk may have dropped the write, and would not report it again.
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

/** Counts commits, and runs callbacks when the commits that they wait for are on disk. */
function createDurability() {
  let committed = 0;
  let durable = 0;
  let waiting: { commit: number; work: () => void }[] = [];
  /** The last commit that may have changed a collection, for collections with commits that are not on disk. */
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
