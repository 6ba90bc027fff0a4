import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into every process a test starts: it ends when the test's process, and with it this pipe, is gone. The
 * process's own threads load it too, and what they see as their input ends at once.
 */
if (isMainThread && 'Deno' in globalThis) {
  // Deno reads the input to its end before it goes on, so there the parent is looked at instead.
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || process.exit(1), 500).unref();
} else if (isMainThread) {
  process.stdin
    .resume()
    .on('end', () => process.exit(1))
    .unref?.();
}
