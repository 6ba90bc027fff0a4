import module from 'node:module';
import { join } from 'node:path';
import './env-file.js';

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
