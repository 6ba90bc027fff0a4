import { MongoError } from '../errors.ts';
import { isSliceOver, pause, type Work } from '../slice.ts';
import { beginWrite, type Collection, type Index, removeIndex, type Store } from './catalog.ts';
import { endBuild, saveBuild } from './index-builds.ts';
import { fillIndex, readRecord } from './records.ts';
import { rowsOf } from './statements.ts';
import { bodyOf } from './stored-form.ts';

/**
 * Gives an index the keys of all documents, from the record where it stands. Between its slices writes keep what it has,
 * and no query reads it; how far it is is committed with the keys, so that a later start goes on from there. When a
 * document is refused, or the build is interrupted by other than the end of the server, the index is removed.
 */
export function* buildIndex(store: Store, collection: Collection, index: Index): Work<void> {
  // Documents that are written from now on have their keys already.
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

/** Waits for an index that another operation builds, and goes on with a build that a failure of storage ended. */
export function* completeBuild(store: Store, collection: Collection, index: Index): Work<void> {
  while (index.builtTo !== undefined && !index.isDropped) {
    if (index.isBeingBuilt) yield pause;
    else yield* buildIndex(store, collection, index);
  }
  if (index.isDropped) throw new MongoError('IndexBuildAborted', `The build of the index ${index.spec.name} ended`);
}

const chunkRows = 64;

/** Adds the keys of the next records until the slice is over; returns the last record. */
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

/** Goes on with what an earlier run of the server left unfinished. */
export function* resumeBuilds(store: Store): Work<void> {
  for (const collection of [...store.collections.values()]) {
    for (const index of [...collection.indexes]) {
      try {
        if (!index.isDropped) yield* completeBuild(store, collection, index);
      } catch (error) {
        // Who asks for the index again learns why it cannot be.
        if (!(error instanceof MongoError) || error.codeName === 'InterruptedAtShutdown') throw error;
      }
    }
  }
}
