// JavaScript, because the runtime's own stripper handles every file loaded before the hook, at every start.
import '../lib/tuning/strip-types-hook.js';
import module from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

// Pretenuring allocates objects in the old generation where earlier ones of the same allocation site survived, such as
// parts of requests during a pause. Objects that they refer to are promoted, and stay until the next full collection.
setFlagsFromString('--no-allocation-site-pretenuring');
// The young generation of this thread keeps the size set on the command line. Otherwise that flag would also apply to
// worker threads and override their resource limits.
setFlagsFromString('--max-semi-space-size=0');
// Read when the thread pool is first used. Hashing takes three threads at most and name lookups half of them, so that
// one remains for files and the database's syncs. Deno has a separate pool.
process.env.UV_THREADPOOL_SIZE ??= '8';
// For worker threads, which read it from their environment.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled');
// For this thread. Deno has no such function.
module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);

const { installModuleHooks } = await import('./service-modules.ts');
// Before any code that services share is imported.
installModuleHooks();
const { main } = await import('./main.ts');
await main();
