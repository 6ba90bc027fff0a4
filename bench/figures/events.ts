import type { Figure } from '../figure.ts';
import type { Options } from '../options.ts';
import { startPlatform } from '../servers/platform.ts';
import { compareWithBare, postEvent } from './beside-bare.ts';

const leastRatio = 0.09;

/** Business events stored durably in the embedded database while their stories are composed. */
export async function measureEvents(options: Options): Promise<Figure[]> {
  const platform = await startPlatform();
  const name = 'POST /events, embedded database';
  const request = postEvent(platform);
  const figure = await compareWithBare(options, { name, target: platform, request, atLeast: leastRatio });
  await platform.stop();
  return [figure];
}
