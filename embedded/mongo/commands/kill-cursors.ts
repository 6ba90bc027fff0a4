import { killCursor } from '../cursors.ts';
import { badValue } from '../errors.ts';
import type { Command } from './command.ts';

export const killCursors: Command = {
  kind: 'read',
  options: new Set(['cursors']),
  run: ({ cursors }, request) => {
    const listed = request.body.get('cursors');
    if (!Array.isArray(listed)) throw badValue('killCursors needs an array of cursor ids');
    const ids = listed.filter((id) => typeof id === 'bigint');
    const cursorsKilled = ids.filter((id) => killCursor(cursors, id));
    const cursorsNotFound = ids.filter((id) => !cursorsKilled.includes(id));
    return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
  },
};
