import { runPlatformWith } from './platform-with.ts';

/* The whole platform in one process, and its control actions over HTTP. */
await runPlatformWith(async () => (await import('./operator-service.ts')).operator, { nodeID: 'node-1' });
