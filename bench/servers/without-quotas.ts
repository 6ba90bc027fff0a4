import { registerHooks } from 'node:module';

/*
 * Imported before a platform: its events are stored without asking whether the plan leaves room for them, as if there
 * were no plans. For measuring alone; the product knows no such switch.
 */
const metered = new URL('../../services/context/accept-events.ts', import.meta.url).href;
const unmetered = new URL('./unmetered-events.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    return resolved.url === metered ? { ...resolved, url: unmetered } : resolved;
  },
});
