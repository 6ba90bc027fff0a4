import { compare } from '../compare.ts';
import { boundedFigure, type Figure, leftOut } from '../figure.ts';
import { eventTemplate } from '../load/event.ts';
import type { HttpRequest } from '../load/http-request.ts';
import type { Options } from '../options.ts';
import { peakMebibytes } from '../processes.ts';
import { describeLoad, say } from '../progress.ts';
import { type Platform, startPlatform } from '../servers/platform.ts';
import { startPocketBase } from '../servers/pocketbase.ts';
import { compareWithBare, load, loadTarget, postEvent } from './beside-bare.ts';

const name = 'POST /events, embedded database';
const leastRatio = 0.09;
const leastRatioToPocketBase = 1.3;
const maxMebibytes = 400;
/** Seconds in which the engine still compiles the event path, on the processors that it shares with the load. */
const warmUpSeconds = 9;

/** Measures business events stored durably in the embedded database while their stories are composed. */
export async function measureEvents(options: Options): Promise<Figure[]> {
  const platform = await startPlatform();
  const request = postEvent(platform);
  const first = await loadTarget({ ...options, seconds: warmUpSeconds }, platform, request);
  say(`${name}, right after a start, not counted: ${describeLoad(first, 'req/s')}`);
  const bare = await compareWithBare(options, { name, target: platform, request, atLeast: leastRatio });
  const peer = await compareWithPocketBase(options, platform);
  const memory = memoryFigure(peakMebibytes(platform.pid));
  await platform.stop();
  return [bare, peer, memory];
}

async function compareWithPocketBase(options: Options, platform: Platform): Promise<Figure> {
  const pocketBase = await startPocketBase();
  if (!pocketBase) return leftOut(`${name}, compared with PocketBase`, 'set POCKETBASE to the path of its program');
  const record: HttpRequest = {
    method: 'POST',
    path: '/api/collections/events/records',
    status: 200,
    headers: { Authorization: pocketBase.token },
    body: eventTemplate(platform.orgId),
  };
  const figure = await compare(options, {
    name: `${name}, compared with PocketBase`,
    subject: () => loadTarget(options, platform, postEvent(platform)),
    besideName: 'PocketBase',
    beside: () => load(options, pocketBase.port, record),
    unit: 'req/s',
    atLeast: leastRatioToPocketBase,
  });
  await pocketBase.stop();
  return figure;
}

function memoryFigure(mebibytes: number | null): Figure {
  const what = 'resident memory under that load, at most';
  if (mebibytes === null) return leftOut(what, 'this system has no /proc');
  return boundedFigure(what, [mebibytes], Number, 'MiB', maxMebibytes);
}
