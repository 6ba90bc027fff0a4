import { registerHooks } from 'node:module';

/*
 * Preloaded into a platform: its events are stored without a quota check, as if plans did not exist. Only for the
 * benchmark; the product has no such switch.
 */
const metered = new URL('../../services/context/ingest/accept-events.ts', import.meta.url).href;
const unmetered = new URL('./unmetered-events.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    return resolved.url === metered ? { ...resolved, url: unmetered } : resolved;
  },
});
