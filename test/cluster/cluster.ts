import { installModuleHooks } from '../../runtime/service-modules.ts';

/* An entry as runtime/start.js is one: the hooks come before all that services share. */
installModuleHooks();
await import('./cluster-nodes.ts');
