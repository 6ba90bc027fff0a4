import type { Fields } from './bson/value.ts';
import { type Command, namespaceOf, type Request } from './commands/command.ts';
import { MongoError } from './errors.ts';
import type { Work } from './slice.ts';

/** A queued request and its reply callback. */
export type Job = {
  command: Command;
  request: Request;
  /** Requests of one connection are answered in order. */
  connection: object;
  answer: (reply: Fields) => void;
};

/** A request that takes more than one slice. */
export type Operation = {
  id: number;
  job: Job;
  work: Work<Fields>;
  startedAt: number;
  /** Thrown into the work at the start of its next slice. */
  interruption?: MongoError | undefined;
};

/** Operations in progress, in round-robin order. */
export type Operations = { running: Operation[]; lastId: number };

export function createOperations(): Operations {
  return { running: [], lastId: 0 };
}

export function addOperation(operations: Operations, job: Job, work: Work<Fields>, startedAt: number): Operation {
  operations.lastId += 1;
  const operation = { id: operations.lastId, job, work, startedAt };
  operations.running.push(operation);
  return operation;
}

/** Interrupts an operation at its next slice; false when no operation has this id. */
export function killOperation(operations: Operations, id: number): boolean {
  const operation = operations.running.find((one) => one.id === id);
  if (operation) operation.interruption ??= new MongoError('Interrupted', 'operation was interrupted');
  return operation !== undefined;
}

/** Returns the error that interrupts an operation: it was killed, or exceeded its maxTimeMS. */
export function interruptionOf({ interruption, startedAt, job }: Operation): MongoError | undefined {
  if (interruption) return interruption;
  if (performance.now() - startedAt <= job.request.timeLimit) return undefined;
  return new MongoError('MaxTimeMSExpired', 'operation exceeded time limit');
}

/** Formats an operation for currentOp. */
export function describeOperation({ id, job, startedAt }: Operation): Fields {
  const { name, database, body } = job.request;
  const milliseconds = Math.round(performance.now() - startedAt);
  return {
    type: 'op',
    active: true,
    opid: id,
    op: opNames[name] ?? 'command',
    ns: namespaceOf(job.request) ?? `${database}.$cmd`,
    secs_running: BigInt(Math.floor(milliseconds / 1000)),
    microsecs_running: BigInt(milliseconds) * 1000n,
    command: body,
  };
}

const opNames: Partial<Record<string, string>> = {
  ...{ find: 'query', getMore: 'getmore', insert: 'insert', update: 'update', delete: 'remove' },
};
