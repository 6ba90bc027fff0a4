import { aggregate } from './aggregate.ts';
import { create, drop, dropDatabase, listDatabases } from './collections.ts';
import type { Command } from './command.ts';
import { count } from './count.ts';
import { createIndexes } from './create-indexes.ts';
import { deleteCommand } from './delete.ts';
import { distinct } from './distinct.ts';
import { dropIndexes } from './drop-indexes.ts';
import { explain } from './explain.ts';
import { find } from './find.ts';
import { findAndModify } from './find-and-modify.ts';
import { getMore } from './get-more.ts';
import { buildInfo, endSessions, hello, ping, serverStatus } from './handshake.ts';
import { insert } from './insert.ts';
import { killCursors } from './kill-cursors.ts';
import { listCollections, listIndexes } from './list-catalog.ts';
import { currentOp, killOp } from './operations.ts';
import { update } from './update.ts';

/** Supported commands by the names clients use. */
export const commands = new Map<string, Command>([
  ['hello', hello],
  ['isMaster', hello],
  ['ismaster', hello],
  ['ping', ping],
  ['buildInfo', buildInfo],
  ['buildinfo', buildInfo],
  ['serverStatus', serverStatus],
  ['endSessions', endSessions],
  ['killSessions', endSessions],
  ['killAllSessions', endSessions],
  ['insert', insert],
  ['find', find],
  ['getMore', getMore],
  ['killCursors', killCursors],
  ['update', update],
  ['delete', deleteCommand],
  ['findAndModify', findAndModify],
  ['findandmodify', findAndModify],
  ['count', count],
  ['distinct', distinct],
  ['aggregate', aggregate],
  ['explain', explain],
  ['createIndexes', createIndexes],
  ['listIndexes', listIndexes],
  ['dropIndexes', dropIndexes],
  ['listCollections', listCollections],
  ['create', create],
  ['drop', drop],
  ['dropDatabase', dropDatabase],
  ['listDatabases', listDatabases],
  ['currentOp', currentOp],
  ['killOp', killOp],
]);
