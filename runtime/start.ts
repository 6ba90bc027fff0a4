import module from 'node:module';
import { join } from 'node:path';
import { installModuleHooks } from './service-modules.ts';

// Read when the thread pool is first used. Hashing takes three threads at most and name lookups half of them, so that one
// is left for files and the database's syncs. Deno has a pool of its own.
process.env.UV_THREADPOOL_SIZE ??= '8';
// Enables the compile cache for later starts, if its folder is writable. Only modules that are loaded after this call are
// cached. Deno has no such function and caches by itself.
module.enableCompileCache?.(join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled'));
installModuleHooks();

const { main } = await import('./main.ts');
await main();
