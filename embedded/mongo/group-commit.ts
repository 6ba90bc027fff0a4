import type { Fields } from './bson/value.ts';
import { type Command, type Context, type Request, requireKnownOptions } from './commands/command.ts';
import { errorReply, MongoError } from './errors.ts';
import { rollBack } from './store/catalog.ts';
import { isDamage } from './store/damage.ts';

/** A request that waits for its turn, and where its reply goes. */
export type Job = {
  command: Command;
  request: Request;
  /** Requests of one connection are answered in their order. */
  connection: object;
  answer: (reply: Fields) => void;
};

export type Executor = {
  submit: (job: Job) => void;
  /** Runs what was submitted and resolves when all of it is answered. */
  drain: () => Promise<void>;
};

/**
 * Runs the requests that arrive in one turn of the event loop in one transaction with one sync to disk.
 * A write is answered only after its commit.
 */
export function createExecutor(context: Context): Executor {
  let queue: Job[] = [];
  let isScheduled = false;
  const schedule = () => {
    if (isScheduled || queue.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const { group, rest } = oneOfEachConnection(queue);
      queue = rest;
      runGroup(context, group);
      schedule();
    });
  };
  const drain = async () => {
    while (queue.length > 0) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    submit: (job) => {
      queue.push(job);
      schedule();
    },
    drain,
  };
}

function oneOfEachConnection(queue: Job[]): { group: Job[]; rest: Job[] } {
  const served = new Set<object>();
  const group: Job[] = [];
  const rest: Job[] = [];
  for (const job of queue) {
    (served.has(job.connection) ? rest : group).push(job);
    served.add(job.connection);
  }
  return { group, rest };
}

/** Reads go first: they see only what is committed, and need not be undone with a failed group. */
function runGroup(context: Context, group: Job[]): void {
  const writes: Job[] = [];
  for (const job of group) {
    if (job.command.kind === 'write') writes.push(job);
    else job.answer(runRead(context, job));
  }
  if (writes.length === 0) return;
  try {
    const replies = writes.map((job) => run(context, job));
    commit(context);
    writes.forEach((job, index) => {
      job.answer(replies[index] ?? {});
    });
  } catch {
    // One write, or the commit, failed in storage. Alone each either succeeds or learns what is wrong with it.
    rollBack(context.store);
    for (const job of writes) job.answer(runAlone(context, job));
  }
}

/** The reply of a request; a refusal is a reply, and only failures of storage or of this program are thrown. */
function run(context: Context, job: Job): Fields {
  try {
    requireKnownOptions(job.command, job.request);
    return { ...job.command.run(context, job.request), ok: 1 };
  } catch (error) {
    if (error instanceof MongoError) return errorReply(error);
    throw error;
  }
}

function runRead(context: Context, job: Job): Fields {
  try {
    return run(context, job);
  } catch (error) {
    return errorReply(explained(context, error));
  }
}

function runAlone(context: Context, job: Job): Fields {
  try {
    const reply = run(context, job);
    commit(context);
    return reply;
  } catch (error) {
    rollBack(context.store);
    return errorReply(explained(context, error));
  }
}

function commit({ store }: Context): void {
  if (store.database.isTransaction) store.commit.run();
}

const diskFull = 13;
const inputOutput = 10;
const readOnly = 8;

function explained({ store }: Context, error: unknown): MongoError {
  if (isDamage(error)) {
    return new MongoError(
      'DataCorruptionDetected',
      `The database file ${store.database.location()} is damaged: ${String(error)}. Restore a backup.`,
    );
  }
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  if (code === diskFull || code === inputOutput || code === readOnly) {
    return new MongoError(
      'OutOfDiskSpace',
      `The write was refused because the disk does not take it: ${String(error)}`,
    );
  }
  return new MongoError('InternalError', `The embedded database failed: ${String(error)}`);
}
