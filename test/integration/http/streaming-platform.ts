import { runPlatformWith } from '../../support/platform-with.ts';

/* The whole platform in one process, with a service whose endpoints stream. */
await runPlatformWith(async () => (await import('./streaming-service.ts')).streamingService);
