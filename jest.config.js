import { availableParallelism } from 'node:os';

/** One project a suite. TypeScript is stripped, not compiled: the tests run what the platform runs. */
const project = (name, extra = {}) => ({
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.js' },
  extensionsToTreatAsEsm: ['.ts'],
  // The time of every file is printed.
  slowTestThreshold: 0,
  ...extra,
});

/** These share one platform; Jest runs the same setup once for all of them. */
const sharesPlatform = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

export default {
  // Long enough for a machine with much else to do: it ends what hangs, and says nothing of how fast anything is.
  testTimeout: 90_000,
  // A test mostly waits for the platform, so that two more than there are cores keep them all busy.
  maxWorkers: availableParallelism() + 2,
  // Modules of files that have ended stay in memory, where collecting garbage takes ever longer.
  workerIdleMemoryLimit: '1GB',
  projects: [
    project('unit'),
    project('integration', sharesPlatform),
    project('cluster'),
    project('acceptance', sharesPlatform),
    // What outside programs meet: pages, OAuth 2.0 and OpenID Connect.
    project('web', sharesPlatform),
    // Processes killed, disks full, databases lost.
    project('faults', sharesPlatform),
    project('pool'),
    // The same acceptance suite, on a pool with a worker on Deno, over NATS and the second implementation of the database.
    // Two files at a time: that database loses one of two updates of one document, and the files share their users.
    project('deno', {
      testMatch: ['<rootDir>/test/deno/**/*.test.ts', '<rootDir>/test/acceptance/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/deno-pool-setup.ts',
      globalTeardown: '<rootDir>/test/support/deno-pool-teardown.ts',
    }),
    project('browser'),
  ],
};
