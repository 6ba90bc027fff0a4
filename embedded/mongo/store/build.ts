import { MongoError } from '../errors.ts';
import { isSliceOver, pause, type Work } from '../slice.ts';
import { beginWrite, type Collection, type Index, removeIndex, type Store } from './catalog.ts';
import { endBuild, saveBuild } from './index-builds.ts';
import { fillIndex, readRecord } from './records.ts';
import { rowsOf } from './statements.ts';
import { bodyOf } from './stored-form.ts';

/**
 * Adds the keys of all documents to an index, from its last committed position. Between its slices, writes maintain the
 * index and no query reads it. The position is committed with the keys, so that a later start resumes there. The index
 * is removed when a document is rejected or the build is interrupted, unless by a shutdown.
 */
export function* buildIndex(store: Store, collection: Collection, index: Index): Work<void> {
  // Writes maintain the keys of documents that are inserted from here on.
  const last = collection.lastRecordId;
  index.isBeingBuilt = true;
  try {
    for (let position = index.builtTo ?? 0; position < last; ) {
      position = fillSome(store, collection, index, position, last);
      if (position >= last) continue;
      beginWrite(store);
      index.builtTo = position;
      saveBuild(store.database, index.id, position);
      yield pause;
      if (index.isDropped) throw new MongoError('IndexBuildAborted', `The index ${index.spec.name} was dropped`);
    }
    if (index.builtTo === undefined) return;
    beginWrite(store);
    endBuild(store.database, index.id);
    index.builtTo = undefined;
  } catch (error) {
    const isLeft = !(error instanceof MongoError) || error.codeName === 'InterruptedAtShutdown';
    if (!isLeft && !index.isDropped) removeIndex(store, collection, index);
    throw error;
  } finally {
    index.isBeingBuilt = false;
  }
}

/** Waits for an index that another operation builds, and resumes a build that a storage failure ended. */
export function* completeBuild(store: Store, collection: Collection, index: Index): Work<void> {
  while (index.builtTo !== undefined && !index.isDropped) {
    if (index.isBeingBuilt) yield pause;
    else yield* buildIndex(store, collection, index);
  }
  if (index.isDropped) throw new MongoError('IndexBuildAborted', `The build of the index ${index.spec.name} ended`);
}

const chunkRows = 64;

/** Adds the keys of the next records until the slice is over; returns the last record id. */
function fillSome(store: Store, collection: Collection, index: Index, from: number, last: number): number {
  beginWrite(store);
  for (let position = from; ; ) {
    const rows = rowsOf<[number, number, Uint8Array | null]>(collection.statements.forward.all(position, chunkRows));
    for (const [id, , body] of rows) {
      if (id > last) return last;
      position = id;
      const record = body ? { id, body: bodyOf(body) } : readRecord(collection, id);
      if (record) fillIndex(store, collection, index, record);
      if (isSliceOver()) return position;
    }
    if (rows.length < chunkRows) return last;
  }
}

/** Resumes the builds that an earlier run of the server left unfinished. */
export function* resumeBuilds(store: Store): Work<void> {
  for (const collection of [...store.collections.values()]) {
    for (const index of [...collection.indexes]) {
      try {
        if (!index.isDropped) yield* completeBuild(store, collection, index);
      } catch (error) {
        // The next createIndexes for this index reports the error.
        if (!(error instanceof MongoError) || error.codeName === 'InterruptedAtShutdown') throw error;
      }
    }
  }
}
