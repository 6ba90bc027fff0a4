// JavaScript, because whatever is loaded before the compile cache is enabled is compiled at every start: of a TypeScript
// file that would take the stripper of types, a tenth of a second and 30 MB.
import module from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

// Pretenuring allocates objects in the old generation where earlier ones of the same allocation site survived, such as
// parts of requests during a pause. What those refer to is promoted, and stays until the next full collection.
setFlagsFromString('--no-allocation-site-pretenuring');
// Read when the thread pool is first used. Hashing takes three threads at most and name lookups half of them, so that one
// is left for files and the database's syncs. Deno has a pool of its own.
process.env.UV_THREADPOOL_SIZE ??= '8';
// For later starts, if its folder is writable. Deno has no such function and caches by itself.
module.enableCompileCache?.(join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled'));

const { installModuleHooks } = await import('./service-modules.ts');
// Before any code that services share is imported.
installModuleHooks();
const { main } = await import('./main.ts');
await main();
