/** The part of a child process: takes one job from the parent, gives back its result, and ends. */
export function takeJob<Job, Result>(work: (job: Job) => Promise<Result>): void {
  process.once('message', (job: Job) => {
    work(job).then(
      (result) => process.send?.({ result }, () => process.disconnect()),
      (error: unknown) => process.send?.({ error: describe(error) }, () => process.exit(1)),
    );
  });
}

/** The part of a child process that serves until its parent is gone: takes its options, then says where it serves. */
export function takeServer<Options, Address>(start: (options: Options) => Promise<Address>): void {
  process.once('disconnect', () => process.exit(0));
  process.once('message', (options: Options) => {
    start(options).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: describe(error) }, () => process.exit(1)),
    );
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
