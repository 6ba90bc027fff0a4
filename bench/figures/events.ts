import { compare } from '../compare.ts';
import { boundedFigure, type Figure, leftOut } from '../figure.ts';
import { eventTemplate } from '../load/event.ts';
import { type HttpRequest, loadWith } from '../load/http-request.ts';
import type { LoadResult } from '../load/result.ts';
import type { Options } from '../options.ts';
import { residentMebibytes, waitUntilQuiet } from '../processes.ts';
import { type Platform, startPlatform } from '../servers/platform.ts';
import { startPocketBase } from '../servers/pocketbase.ts';
import { compareWithBare, postEvent } from './beside-bare.ts';

const name = 'POST /events, embedded database';
const leastRatio = 0.09;
const leastRatioToPocketBase = 1.3;
const mostMebibytes = 300;
const connections = 32;
const sampleMilliseconds = 100;

/** Business events stored durably in the embedded database while their stories are composed. */
export async function measureEvents(options: Options): Promise<Figure[]> {
  const platform = await startPlatform();
  const peaks: number[] = [];
  const request = postEvent(platform);
  const bare = await compareWithBare(options, { name, target: platform, request, atLeast: leastRatio });
  const peer = await compareWithPocketBase(options, platform, peaks);
  await platform.stop();
  return [bare, peer, memoryFigure(peaks)];
}

/** `peaks`: what each load of the platform adds to, its largest resident memory in MiB. */
async function compareWithPocketBase(options: Options, platform: Platform, peaks: number[]): Promise<Figure> {
  const pocketBase = await startPocketBase();
  const time = { connections, seconds: options.seconds, warmUpSeconds: options.seconds / 3 };
  const own = { Authorization: `Bearer ${platform.apiKey}`, 'x-tenant-id': platform.orgId };
  const subject = async (): Promise<LoadResult> => {
    const request: HttpRequest = { ...postEvent(platform), headers: own };
    const { result, peak } = await watchMemory(platform.pid, loadWith(request, { ...time, port: platform.port }));
    peaks.push(peak);
    await waitUntilQuiet(platform.pid);
    return result;
  };
  if (!pocketBase) {
    for (let round = 1; round <= options.rounds; round += 1) await subject();
    return leftOut(`${name}, beside PocketBase`, 'set POCKETBASE to the path of its program');
  }
  const record: HttpRequest = {
    method: 'POST',
    path: '/api/collections/events/records',
    status: 200,
    headers: { Authorization: pocketBase.token },
    body: eventTemplate(platform.orgId),
  };
  const figure = await compare(options, {
    name: `${name}, beside PocketBase`,
    subject,
    besideName: 'PocketBase',
    beside: () => loadWith(record, { ...time, port: pocketBase.port }),
    unit: 'req/s',
    atLeast: leastRatioToPocketBase,
  });
  await pocketBase.stop();
  return figure;
}

async function watchMemory(pid: number, load: Promise<LoadResult>): Promise<{ result: LoadResult; peak: number }> {
  let peak = 0;
  const sample = () => {
    peak = Math.max(peak, residentMebibytes(pid) ?? 0);
  };
  const timer = setInterval(sample, sampleMilliseconds);
  try {
    const result = await load;
    return { result, peak };
  } finally {
    clearInterval(timer);
  }
}

function memoryFigure(peaks: number[]): Figure {
  const what = 'resident memory under that load';
  if (peaks.every((peak) => peak === 0)) return leftOut(what, 'this system has no /proc');
  return boundedFigure(what, peaks, (peak) => peak, 'MiB', mostMebibytes);
}
