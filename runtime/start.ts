import module from 'node:module';
import { join } from 'node:path';
import { installModuleHooks } from './service-modules.ts';

// Compiled code is kept for the next start, where the folder can be written; only what is loaded from here on gains.
// Deno has no such function and does the same by itself.
module.enableCompileCache?.(join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled'));
installModuleHooks();

const { main } = await import('./main.ts');
await main();
