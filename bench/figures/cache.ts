import { compareTargets } from '../access/ask.ts';
import { type ApiKeys, seedFolder } from '../access/seed.ts';
import { wireForPlatform } from '../access/wire.ts';
import { askWorld, makeWorld, smallWorld } from '../access/world.ts';
import { type Figure, leftOut } from '../figure.ts';
import type { Options } from '../options.ts';
import { temporaryFolder } from '../processes.ts';
import { startPlatform } from '../servers/platform.ts';
import { startPool } from '../servers/pool.ts';

/** Few enough that each answer is found in the cache after its first request. */
const questionCount = 2_000;
const world = makeWorld(smallWorld);

type Settings = Record<string, string>;
type Started = { port: number; pids: number[]; apiKeys: ApiKeys; stop: () => Promise<void> };
type Start = (settings: Settings) => Promise<Started>;

/** POST /access/check with answers cached in memory and in Redis, compared with no cache. */
export async function measureCache(options: Options): Promise<Figure[]> {
  const natsUrl = process.env.TEST_NATS_URL;
  const overNats: Start | null = natsUrl ? (settings) => startPool(natsUrl, world, settings) : null;
  return [...(await measure(options, 'one process', startAlone)), ...(await measure(options, 'over NATS', overNats))];
}

async function measure(options: Options, where: string, start: Start | null): Promise<Figure[]> {
  const name = (cache: string) => `POST /access/check, ${where}, ACCESS_CACHE=${cache}`;
  const redisUrl = process.env.TEST_REDIS_URL;
  if (!start) return [leftOut(name('memory'), 'set TEST_NATS_URL to the address of a NATS server')];
  const memory = { ACCESS_CACHE: 'memory' };
  const redis = redisUrl ? { ACCESS_CACHE: 'redis', REDIS_URL: redisUrl } : null;
  return [
    await compareWithout(options, name('memory'), { start, settings: memory }),
    redis
      ? await compareWithout(options, name('redis'), { start, settings: redis })
      : leftOut(name('redis'), 'set TEST_REDIS_URL to the address of a Redis'),
  ];
}

async function compareWithout(
  options: Options,
  name: string,
  { start, settings }: { start: Start; settings: Settings },
): Promise<Figure> {
  const cached = await start(settings);
  const plain = await start({ ACCESS_CACHE: 'none' });
  const figure = await compareTargets(options, {
    subject: targetOf(name, cached),
    beside: targetOf('without a cache', plain),
  });
  await Promise.all([cached.stop(), plain.stop()]);
  return figure;
}

async function startAlone(settings: Settings): Promise<Started> {
  const dataDir = temporaryFolder();
  const apiKeys = await seedFolder(dataDir, world);
  const { port, pid, stop } = await startPlatform(dataDir, settings);
  return { port, pids: [pid], apiKeys, stop };
}

function targetOf(name: string, { port, pids, apiKeys }: Started) {
  return { name, port, pids, questions: wireForPlatform(askWorld(world, questionCount), apiKeys) };
}
