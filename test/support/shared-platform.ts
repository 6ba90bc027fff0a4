import { send } from './http.ts';
import type { FirstRun } from './platform-process.ts';

export type SharedPlatform = { url: string; dataDir: string; firstRun: FirstRun };

let asked: Promise<SharedPlatform> | undefined;

/**
 * The one platform that all integration and acceptance tests of a run share; the first to ask starts it. Make your own
 * ids, never count what others may add to. Rate limits are off.
 */
export function sharedPlatform(): Promise<SharedPlatform> {
  asked ??= ask();
  return asked;
}

async function ask(): Promise<SharedPlatform> {
  const { status, body, text } = await send<SharedPlatform>(process.env.SHARED_PLATFORM!, { path: '/' });
  if (status !== 200) throw new Error(text);
  return body;
}
