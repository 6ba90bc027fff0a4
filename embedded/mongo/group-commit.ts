import type { Fields } from './bson/value.ts';
import { type Context, namespaceOf, requireKnownOptions } from './commands/command.ts';
import { errorReply, MongoError } from './errors.ts';
import { addOperation, interruptionOf, type Job, type Operation } from './operations.ts';
import { beginSlice, type Work } from './slice.ts';
import { rollBack } from './store/catalog.ts';
import { failureOf } from './store/failure.ts';

export type Executor = {
  submit: (job: Job) => void;
  /** Interrupts the reads of a closed connection. */
  abandon: (connection: object) => void;
  /** Interrupts the operations in progress, runs the queued requests, and resolves when all are answered. */
  drain: () => Promise<void>;
};

/** Time that the new requests of a turn, its continued reads, or one continued write may block the thread. */
const sliceMilliseconds = 10;
/** Minimum slice of a request, regardless of how many ran before it in its turn. */
const minSliceMilliseconds = 1;

/**
 * Maximum number of rows that a continued operation writes in a slice: each may dirty a separate page, which the commit
 * writes and syncs, and a checkpoint copies. A thousand double the wait of other requests.
 */
const sliceWrites = 300;

type State = { context: Context; queue: Job[]; isScheduled: boolean };

/**
 * Runs the requests that arrive in one turn of the event loop in one transaction (group commit), and slices of
 * unfinished operations. A write is answered only after its commit is durable. The sync of one transaction overlaps with
 * the next transaction; the one after that waits for the sync. Reads run between transactions.
 */
export function createExecutor(context: Context): Executor {
  const state: State = { context, queue: [], isScheduled: false };
  const { operations } = context;
  context.checkpoints.onRelease(() => schedule(state));
  schedule(state);
  return {
    submit: (job) => {
      state.queue.push(job);
      schedule(state);
    },
    abandon: (connection) => {
      for (const operation of operations.running) {
        if (operation.job.connection !== connection || operation.job.command.kind === 'write') continue;
        operation.interruption ??= new MongoError('Interrupted', 'The connection was closed');
      }
    },
    drain: async () => {
      while (state.queue.length > 0 || operations.running.length > 0) {
        for (const operation of operations.running) {
          operation.interruption ??= new MongoError('InterruptedAtShutdown', 'The database is being closed');
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

function schedule(state: State): void {
  if (state.isScheduled || !hasWork(state)) return;
  state.isScheduled = true;
  setImmediate(() => {
    state.isScheduled = false;
    runTurn(state);
    schedule(state);
  });
}

/** Writes that wait for a sync or a checkpoint do not count as work; its end schedules the next turn. */
function hasWork({ context, queue }: State): boolean {
  const isDue = dueTest(context);
  return queue.some(isDue) || context.operations.running.some(({ job }) => isDue(job));
}

/** Returns a test for the requests that may run in this turn. */
function dueTest({ log, checkpoints }: Context): (job: Job) => boolean {
  const mayWrite = log.mayBegin() && checkpoints.mayBegin();
  return ({ command }) => command.kind === 'read' || mayWrite;
}

function runTurn(state: State): void {
  const isDue = dueTest(state.context);
  const { running } = state.context.operations;
  const { group, rest } = oneOfEachConnection(state.queue, running, isDue);
  state.queue = rest;
  const endsAt = performance.now() + sliceMilliseconds;
  // The operation stays in the list until its slice is done: requests of this turn may list or kill it.
  const continued = running.find(({ job }) => isDue(job));
  // Reads run first: they see only committed data, and are not rolled back with a failed group.
  const writes = group.filter(({ command }) => command.kind === 'write');
  if (continued?.job.command.kind === 'read') continueReads(state.context, { endsAt, isAlone: writes.length === 0 });
  for (const job of group) if (job.command.kind === 'read') startRead(state.context, job, endsAt);
  const operation = continued?.job.command.kind === 'write' ? continued : undefined;
  if (writes.length === 0 && !operation) return;
  runWrites(state.context, writes, operation, endsAt);
  state.context.log.whenDurable(null, () => schedule(state));
}

function oneOfEachConnection(
  queue: Job[],
  running: Operation[],
  isDue: (job: Job) => boolean,
): { group: Job[]; rest: Job[] } {
  const served = new Set<object>(running.map(({ job }) => job.connection));
  const group: Job[] = [];
  const rest: Job[] = [];
  for (const job of queue) {
    (served.has(job.connection) || !isDue(job) ? rest : group).push(job);
    served.add(job.connection);
  }
  return { group, rest };
}

/** The reply of a request, or its remaining work when the slice ended before. */
type Step = { reply: Fields } | { work: Work<Fields> };

/**
 * Runs the first slice of a request. A MongoError becomes a reply; only storage failures and internal errors are
 * thrown.
 */
function start(context: Context, { command, request }: Job, endsAt: number): Step {
  beginSlice(Math.max(minSliceMilliseconds, endsAt - performance.now()));
  return replied(() => {
    requireKnownOptions(command, request);
    const result = command.run(context, request);
    return isWork(result) ? stepOf(result, result.next()) : { reply: { ...result, ok: 1 } };
  });
}

function advance(operation: Operation, endsAt: number): Step {
  beginSlice(Math.max(minSliceMilliseconds, endsAt - performance.now()), sliceWrites);
  const { work } = operation;
  const interruption = interruptionOf(operation);
  return replied(() => stepOf(work, interruption ? work.throw(interruption) : work.next()));
}

function replied(step: () => Step): Step {
  try {
    return step();
  } catch (error) {
    if (error instanceof MongoError) return { reply: errorReply(error) };
    throw error;
  }
}

function isWork(result: Fields | Work<Fields>): result is Work<Fields> {
  return Symbol.iterator in result;
}

function stepOf(work: Work<Fields>, next: IteratorResult<unknown, Fields>): Step {
  return next.done ? { reply: { ...next.value, ok: 1 } } : { work };
}

function startRead(context: Context, job: Job, endsAt: number): void {
  const startedAt = performance.now();
  const step = orFailure(context, () => start(context, job, endsAt));
  if ('reply' in step) job.answer(step.reply);
  else addOperation(context.operations, job, step.work, startedAt);
}

/**
 * Continues reads until the slice is over, because short ones that others made unfinished would otherwise wait behind
 * all that arrive later; only the first while writes wait for their commit.
 */
function continueReads(context: Context, { endsAt, isAlone }: { endsAt: number; isAlone: boolean }): void {
  for (const operation of context.operations.running.filter(({ job }) => job.command.kind === 'read')) {
    const step = orFailure(context, () => advance(operation, endsAt));
    settle(context, operation.job, step, operation);
    if (!isAlone || performance.now() >= endsAt) return;
  }
}

function orFailure(context: Context, step: () => Step): Step {
  try {
    return step();
  } catch (error) {
    return { reply: errorReply(failureOf(context.store.database, error)) };
  }
}

/** Runs the slices of writes in one transaction, and answers the finished requests after its commit. */
function runWrites(context: Context, jobs: Job[], operation: Operation | undefined, endsAt: number): void {
  const startedAt = performance.now();
  const steps: Step[] = [];
  try {
    const continued = operation && advance(operation, startedAt + sliceMilliseconds);
    for (const job of jobs) steps.push(start(context, job, endsAt));
    commit(context, operation ? [...jobs, operation.job] : jobs);
    if (operation && continued) settle(context, operation.job, continued, operation);
    jobs.forEach((job, at) => {
      const step = steps[at];
      if (step) settle(context, job, step, startedAt);
    });
  } catch (error) {
    undo(context, steps);
    const failure = errorReply(failureOf(context.store.database, error));
    // Earlier slices of the operation are committed, so its work cannot be repeated and ends here.
    if (operation) {
      operation.work.return({});
      settle(context, operation.job, { reply: failure }, operation);
    }
    // A write, or the commit, failed in storage. Each write runs again alone, to succeed or to get its own error.
    for (const job of jobs) runAlone(context, job);
  }
}

/** Rolls the transaction back, and ends the work that began in it. */
function undo(context: Context, steps: Step[]): void {
  rollBack(context.store);
  for (const step of steps) if ('work' in step) step.work.return({});
}

/** Answers finished requests; unfinished work is queued behind the other operations. */
function settle({ operations }: Context, job: Job, step: Step, under: Operation | number): void {
  if (typeof under !== 'number') operations.running.splice(operations.running.indexOf(under), 1);
  if ('reply' in step) job.answer(step.reply);
  else if (typeof under === 'number') addOperation(operations, job, step.work, under);
  else operations.running.push(under);
}

function runAlone(context: Context, job: Job): void {
  const startedAt = performance.now();
  const steps: Step[] = [];
  try {
    const step = start(context, job, startedAt + sliceMilliseconds);
    steps.push(step);
    commit(context, [job]);
  } catch (error) {
    undo(context, steps);
    job.answer(errorReply(failureOf(context.store.database, error)));
    return;
  }
  // Other writes follow in this turn. A failed sync is thrown, not answered.
  context.log.syncNow();
  for (const step of steps) settle(context, job, step, startedAt);
}

function commit({ store, log, checkpoints }: Context, jobs: Job[]): void {
  if (!store.database.isTransaction) return;
  store.commit.run();
  log.noteCommit(jobs.map(({ request }) => namespaceOf(request)));
  checkpoints.noteCommit();
}
