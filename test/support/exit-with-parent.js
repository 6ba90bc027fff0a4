/** Loaded into every process a test starts: it ends when the test's process, and with it this pipe, is gone. */
process.stdin
  .resume()
  .on('end', () => process.exit(1))
  .unref?.();
