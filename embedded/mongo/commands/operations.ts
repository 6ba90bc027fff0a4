import type { Fields } from '../bson/value.ts';
import { badValue } from '../errors.ts';
import { describeOperation, killOperation } from '../operations.ts';
import { toNumber } from '../query/operators.ts';
import type { Command } from './command.ts';

/** What takes more than one slice and is not done yet. */
export const currentOp: Command = {
  kind: 'read',
  options: new Set(['$ownOps', '$all']),
  run: ({ operations }) => ({ inprog: operations.running.map(describeOperation) as Fields[] }),
};

/** The operation ends where it stands: what a write did stays done, an index that is built is removed. */
export const killOp: Command = {
  kind: 'read',
  options: new Set(['op']),
  run: ({ operations }, request) => {
    const id = toNumber(request.body.get('op'));
    if (!Number.isSafeInteger(id)) throw badValue('killOp needs the number of an operation');
    killOperation(operations, id);
    return { info: 'attempting to kill op' };
  },
};
