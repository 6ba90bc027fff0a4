import { closeSync, fdatasync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Sync } from './durable-record.ts';
import type { LogSync } from './log-sync.ts';

/**
 * Copies the log into the data file, and syncs the file concurrently with the thread. SQLite would do both within a
 * commit and block every request; the sync takes most of that time. The log restarts only when all of it is on disk in
 * the file.
 */
export type Checkpoints = {
  /** Whether a transaction may begin: not while the end of the log is copied. */
  mayBegin: () => boolean;
  /** Called after each commit, after `LogSync` was notified. */
  noteCommit: () => void;
  /** Sets the listener that is called whenever transactions may begin again. */
  onRelease: (listener: () => void) => void;
  /** Resolves when no checkpoint is running; no commit may follow. */
  end: () => Promise<void>;
  /** Called after the database was closed: closing a descriptor earlier would release SQLite's locks on the file. */
  close: () => void;
};

/** A checkpoint begins when this number of pages is not in the file. */
const pagesOfCheckpoint = 1000;
/**
 * From this number of pages, a second copy includes the pages written during the checkpoint, so that the log can
 * restart.
 */
const pagesOfLog = 2000;

/** Checkpoints an open database whose log is synced by `log`. */
export function createCheckpoints(database: DatabaseSync, log: LogSync, syncFile: Sync = fdatasync): Checkpoints {
  const path = database.location() ?? '';
  const copier = createCopier(database, log, path, syncFile);
  const snapshot = createSnapshot(path);
  let isUnderWay = false;
  let isHeld = false;
  /**
   * Length of the log at the last attempt: when a reader or a full disk blocks the copy, not every commit retries it.
   */
  let tried = 0;
  let release = () => {};
  let whenOver = () => {};

  const finish = () => {
    isUnderWay = false;
    whenOver();
  };
  const copyRest = () => {
    isHeld = true;
    copier.copy(() => {
      isHeld = false;
      finish();
      release();
    });
  };
  const begin = () => {
    snapshot.take();
    copier.copy(() => {
      snapshot.drop();
      const { pages, copied } = copier.size();
      if (pages >= pagesOfLog && copied >= tried && copied < pages) copyRest();
      else finish();
    });
  };
  const noteCommit = () => {
    if (isUnderWay) return;
    const { pages, copied } = copier.size();
    if (pages < tried) tried = 0;
    if (pages - Math.max(copied, tried) < pagesOfCheckpoint) return;
    isUnderWay = true;
    tried = pages;
    // Deferred, because a failed checkpoint is not a failed commit.
    setImmediate(begin);
  };
  const end = async () => {
    if (isUnderWay) await new Promise<void>((resolve) => (whenOver = resolve));
    snapshot.close();
  };
  const onRelease = (listener: () => void) => {
    release = listener;
  };
  return { mayBegin: () => !isHeld, noteCommit, onRelease, end, close: copier.close };
}

/** Creates the copier of the log. `copy` calls `done` when the file is on disk. */
function createCopier(database: DatabaseSync, log: LogSync, path: string, syncFile: Sync) {
  const descriptor = openSync(path, 'r+');
  const size = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  const copyPages = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const copyAndSync = (done: () => void) => {
    copyUnsynced(database, copyPages);
    syncFile(descriptor, (error) => {
      // Throwing here ends the process, as a failed sync of the log does.
      if (error) throw error;
      log.noteCopy();
      done();
    });
  };
  return {
    // A page must be on disk in the log before it is copied. Replies that wait for the same sync are sent first.
    copy: (done: () => void) => log.whenRecorded(() => setImmediate(copyAndSync, done)),
    /** Number of pages in the log, and how many of them are in the file. */
    size: () => {
      const row = size.get();
      return { pages: Number(row?.log ?? 0), copied: Number(row?.checkpointed ?? 0) };
    },
    close: () => closeSync(descriptor),
  };
}

/**
 * Opens a reader of the current state. While it reads, SQLite copies no page of a later state and does not restart the
 * log.
 */
function createSnapshot(path: string) {
  const reader = new DatabaseSync(path, { readOnly: true });
  const begin = reader.prepare('BEGIN');
  const read = reader.prepare('PRAGMA schema_version');
  const rollback = reader.prepare('ROLLBACK');
  return {
    take: () => {
      begin.run();
      read.get();
    },
    drop: () => rollback.run(),
    close: () => reader.close(),
  };
}

/**
 * Copies without syncs: the log is synced already, and the file is synced afterwards. Pages that could not be written
 * are copied by a later checkpoint.
 */
function copyUnsynced(database: DatabaseSync, copyPages: StatementSync): void {
  database.exec('PRAGMA synchronous = OFF');
  try {
    copyPages.get();
  } catch {
    // The pages are still in the log.
  } finally {
    database.exec('PRAGMA synchronous = NORMAL');
  }
}
