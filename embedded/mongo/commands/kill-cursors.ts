import { killCursor } from '../cursors.ts';
import { badValue } from '../errors.ts';
import type { Command } from './command.ts';

export const killCursors: Command = {
  kind: 'read',
  options: new Set(['cursors']),
  run: ({ cursors }, request) => {
    const wanted = request.body.get('cursors');
    if (!Array.isArray(wanted)) throw badValue('killCursors needs an array of cursor ids');
    const ids = wanted.filter((id) => typeof id === 'bigint');
    const cursorsKilled = ids.filter((id) => killCursor(cursors, id));
    const cursorsNotFound = ids.filter((id) => !cursorsKilled.includes(id));
    return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
  },
};
