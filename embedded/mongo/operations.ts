import type { Fields } from './bson/value.ts';
import { type Command, namespaceOf, type Request } from './commands/command.ts';
import { MongoError } from './errors.ts';
import type { Work } from './slice.ts';

/** A request that waits for its turn, and where its reply goes. */
export type Job = {
  command: Command;
  request: Request;
  /** Requests of one connection are answered in their order. */
  connection: object;
  answer: (reply: Fields) => void;
};

/** A request whose work takes more than one slice. */
export type Operation = {
  id: number;
  job: Job;
  work: Work<Fields>;
  startedAt: number;
  /** Thrown where the work waits, when its next turn comes. */
  interruption?: MongoError | undefined;
};

/** What is under way, in the order of its next turns. */
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

/** Ends an operation at its next turn; false when there is none of this id. */
export function killOperation(operations: Operations, id: number): boolean {
  const operation = operations.running.find((one) => one.id === id);
  if (operation) operation.interruption ??= new MongoError('Interrupted', 'operation was interrupted');
  return operation !== undefined;
}

/** Why an operation ends at this turn, if it does: it was killed, or its maxTimeMS are over. */
export function interruptionOf({ interruption, startedAt, job }: Operation): MongoError | undefined {
  if (interruption) return interruption;
  if (performance.now() - startedAt <= job.request.timeLimit) return undefined;
  return new MongoError('MaxTimeMSExpired', 'operation exceeded time limit');
}

/** An operation as currentOp shows it. */
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
