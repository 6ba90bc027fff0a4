import module from 'node:module';
import { join } from 'node:path';
import { installModuleHooks } from './service-modules.ts';

// Enables the compile cache for later starts, if its folder is writable. Only modules that are loaded after this call
// are
// cached. Deno has no such function and caches by itself.
module.enableCompileCache?.(join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled'));
installModuleHooks();

const { main } = await import('./main.ts');
await main();
