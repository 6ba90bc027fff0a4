import { parseSettings, type Settings } from './variables.ts';

/**
 * This process's settings, as `lib/settings/variables.ts` describes them. Loading this module with a wrong variable throws, so
 * the entries in `runtime/` check the environment first and load the rest afterwards.
 */
export const settings: Settings = parseSettings(process.env);

/** The origin of the platform's own pages. */
export const ownOrigin: string = new URL(settings.PUBLIC_URL).origin;
