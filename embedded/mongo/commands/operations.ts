import type { Fields } from '../bson/value.ts';
import { badValue } from '../errors.ts';
import { describeOperation, killOperation } from '../operations.ts';
import { toNumber } from '../query/operators.ts';
import type { Command } from './command.ts';

/** Lists the operations in progress that take more than one slice. */
export const currentOp: Command = {
  kind: 'read',
  options: new Set(['$ownOps', '$all']),
  run: ({ operations }) => ({ inprog: operations.running.map(describeOperation) as Fields[] }),
};

/** Interrupts an operation: committed writes stay, an index that is being built is removed. */
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
