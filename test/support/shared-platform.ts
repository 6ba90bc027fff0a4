import { send } from './http.ts';
import type { FirstRun } from './platform-process.ts';

export type SharedPlatform = { url: string; dataDir: string; firstRun: FirstRun };

type Path = '/' | '/operated';

const asked = new Map<Path, Promise<SharedPlatform>>();

/**
 * The one platform that all integration and acceptance tests of a run share; the first to ask starts it. Make your own
 * ids, never count what others may add to. Rate limits are off.
 */
export function sharedPlatform(): Promise<SharedPlatform> {
  return askOnce('/');
}

/**
 * Another one, for the tests that have it run jobs with `runJob`. A job concerns all organizations: a test must not need
 * that no other test has it run.
 */
export function sharedOperatedPlatform(): Promise<SharedPlatform> {
  return askOnce('/operated');
}

function askOnce(path: Path): Promise<SharedPlatform> {
  const platform = asked.get(path) ?? ask(path);
  asked.set(path, platform);
  return platform;
}

async function ask(path: Path): Promise<SharedPlatform> {
  const { status, body, text } = await send<SharedPlatform>(process.env.SHARED_PLATFORM!, { path });
  if (status !== 200) throw new Error(text);
  return body;
}
