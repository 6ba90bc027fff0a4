import { availableParallelism } from 'node:os';
import { join } from 'node:path';

// Inherited by the workers: the database that a test starts in a thread, and its processes, are compiled once a run.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

/*
 * The scripts of package.json give Node `--no-compilation-cache`: V8's cache would keep the modules of every finished
 * test file in memory, and nothing finds them there again.
 */

/** One project per suite. TypeScript is stripped, not compiled, so that the tests run the same code as the platform. */
const project = (name, extra = {}) => ({
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.js' },
  extensionsToTreatAsEsm: ['.ts'],
  // Prints the time of every file.
  slowTestThreshold: 0,
  ...extra,
});

/** These share one platform; Jest runs the same setup once for all of them. */
const sharesPlatform = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

export default {
  // Long enough for a busy machine: the timeout only ends hung tests and does not measure speed.
  testTimeout: 90_000,
  // A test mostly waits for the platform, so two more than there are cores keep them all busy.
  maxWorkers: availableParallelism() + 2,
  // A worker that holds more is replaced between two files, so that a run fits into a laptop.
  workerIdleMemoryLimit: '1GB',
  projects: [
    project('unit'),
    project('integration', sharesPlatform),
    project('cluster'),
    project('acceptance', sharesPlatform),
    // The interfaces for external programs: pages, OAuth 2.0 and OpenID Connect; and what `npm run new` writes.
    project('web', sharesPlatform),
    // Killed processes, full disks, lost databases.
    project('faults', sharesPlatform),
    project('pool', sharesPlatform),
    // The acceptance suite on a pool with a worker on Deno, over NATS and the second database implementation. Two files
    // at a time: that database loses one of two updates of one document, and the files share their users.
    project('deno', {
      testMatch: ['<rootDir>/test/deno/**/*.test.ts', '<rootDir>/test/acceptance/**/*.test.ts'],
      globalSetup: '<rootDir>/test/deno/deno-pool-setup.ts',
      globalTeardown: '<rootDir>/test/deno/deno-pool-teardown.ts',
    }),
    project('browser'),
  ],
};
