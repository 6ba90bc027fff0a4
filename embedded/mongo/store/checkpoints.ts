import { closeSync, fdatasync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Sync } from './durable-record.ts';
import type { LogSync } from './log-sync.ts';

/**
 * Copies the log into the data file, and syncs the file beside the work of the thread. SQLite would do both within a
 * commit, while every request waits: the sync is three quarters of it. The log begins again only when all of it is on disk
 * in the file.
 */
export type Checkpoints = {
  /** Whether a transaction may begin: not while the end of the log is copied. */
  mayBegin: () => boolean;
  /** To be called after each commit, when `LogSync` knows of it. */
  noteCommit: () => void;
  /** `listener` is called whenever transactions may begin again. */
  onRelease: (listener: () => void) => void;
  /** Resolves when none is under way; no commit may follow. */
  end: () => Promise<void>;
  /** To be called when the database is closed: before, it would take SQLite's locks on the file away. */
  close: () => void;
};

/** A checkpoint begins with so many pages that are not in the file. */
const pagesOfCheckpoint = 1000;
/** With so many pages, what was written beside a checkpoint is copied as well, so that the log can begin again. */
const pagesOfLog = 2000;

/** Over an open database whose log `log` syncs. */
export function createCheckpoints(database: DatabaseSync, log: LogSync, syncFile: Sync = fdatasync): Checkpoints {
  const path = database.location() ?? '';
  const copier = createCopier(database, log, path, syncFile);
  const snapshot = createSnapshot(path);
  let isUnderWay = false;
  let isHeld = false;
  /** How long the log was at the last attempt: where a reader or a full disk keeps it, it is not tried at each commit. */
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
    // What fails there is no failure of the commit.
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

/** What copies the log. `copy` calls `done` when the file is on disk. */
function createCopier(database: DatabaseSync, log: LogSync, path: string, syncFile: Sync) {
  const descriptor = openSync(path, 'r+');
  const size = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  const copyPages = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const copyAndSync = (done: () => void) => {
    copyUnsynced(database, copyPages);
    syncFile(descriptor, (error) => {
      // Thrown, it ends the process, as with the log.
      if (error) throw error;
      log.noteCopy();
      done();
    });
  };
  return {
    // A page must be on disk in the log before it is copied. Replies that wait for the same sync are sent first.
    copy: (done: () => void) => log.whenRecorded(() => setImmediate(copyAndSync, done)),
    /** How many pages the log has, and how many of them are in the file. */
    size: () => {
      const row = size.get();
      return { pages: Number(row?.log ?? 0), copied: Number(row?.checkpointed ?? 0) };
    },
    close: () => closeSync(descriptor),
  };
}

/**
 * A reader of the present state. SQLite copies no page of a later one while it reads, and begins the log from the start only
 * without readers of it.
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

/** Without syncs: the log was synced, and the file will be. What the disk does not take is copied another time. */
function copyUnsynced(database: DatabaseSync, copyPages: StatementSync): void {
  database.exec('PRAGMA synchronous = OFF');
  try {
    copyPages.get();
  } catch {
    // The log has it still.
  } finally {
    database.exec('PRAGMA synchronous = NORMAL');
  }
}
