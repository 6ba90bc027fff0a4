/** Entry point of a child process: runs one job of the parent, returns its result, and exits. */
export function takeJob<Job, Result>(work: (job: Job) => Promise<Result>): void {
  process.once('message', (job: Job) => {
    work(job).then(
      (result) => process.send?.({ result }, () => process.disconnect()),
      (error: unknown) => process.send?.({ error: describe(error) }, () => process.exit(1)),
    );
  });
}

/**
 * Entry point of a server process, which runs until its parent exits: receives its options, then reports its address.
 */
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
