import { afterAll } from '@jest/globals';
import { stopEverything } from './platform-process.ts';

export * from './platform-process.ts';
export * from './pool.ts';

// A test file that fails half way leaves no process behind.
afterAll(stopEverything);
