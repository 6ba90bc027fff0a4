import { setTimeout as wait } from 'node:timers/promises';
import { compareTargets, type Target } from '../access/ask.ts';
import { seedDatabase, seedFolder } from '../access/seed.ts';
import { wireForPlatform } from '../access/wire.ts';
import {
  askWorld,
  largeWorld,
  makeWorld,
  type OrganizationAccess,
  smallWorld,
  type WorldSize,
} from '../access/world.ts';
import { type Figure, leftOut, medianBy } from '../figure.ts';
import type { Options } from '../options.ts';
import { residentMebibytes, startServer, temporaryFolder } from '../processes.ts';
import { say } from '../progress.ts';
import { type MeasuredNode, type Platform, startNode, startPlatform, until } from '../servers/platform.ts';

const idleSeconds = 5;
const mostMebibytes = 300;
const longestSeconds = 3;
const leastRatioToSmall = 0.9;
const questionCount = 10_000;
const size = '200,000 assignments';

/** Measures an access node with a large graph, and checks on it compared with checks on a small graph. */
export async function measureGraph(options: Options): Promise<Figure[]> {
  const loads = await measureLoads(options);
  return [loadFigure(loads), memoryFigure(loads), await compareWithSmall(options)];
}

/** Start of an access node, on an empty database and on the large graph. */
type Load = { emptySeconds: number; seconds: number; mebibytes: number | null };

async function measureLoads({ rounds }: Options): Promise<Load[]> {
  const empty = await startDatabase([]);
  const large = await startDatabase(makeWorld(largeWorld));
  const loads: Load[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const nothing = await startAccess(empty.address.url);
    const { seconds, mebibytes } = await startAccess(large.address.url);
    loads.push({ emptySeconds: nothing.seconds, seconds, mebibytes });
    say(`${size}, round ${round}/${rounds}: ready after ${seconds} s, with an empty graph ${nothing.seconds} s`);
  }
  await Promise.all([empty.stop(), large.stop()]);
  return loads;
}

async function startDatabase(world: OrganizationAccess[]) {
  const database = await startServer<{ url: string }>('servers/embedded-database.ts', { folder: temporaryFolder() });
  await seedDatabase(database.address.url, world);
  return database;
}

async function startAccess(url: string): Promise<{ seconds: number; mebibytes: number | null }> {
  const environment = { MONGO_URL: url, DATA_DIR: temporaryFolder(), LOG_FORMAT: 'json' };
  const node = await startNode(['access'], environment);
  await until([node], () => secondsToReady(node) !== null);
  const seconds = secondsToReady(node) ?? 0;
  await wait(idleSeconds * 1000);
  const mebibytes = residentMebibytes(node.pid);
  await node.stop();
  return { seconds, mebibytes };
}

/** Reads the seconds to ready from the node's log, counted from the start of its process; null before it is ready. */
function secondsToReady({ readLog }: MeasuredNode): number | null {
  const line = readLog()
    .split('\n')
    .find((text) => text.includes('"message":"ready"'));
  return line === undefined ? null : (JSON.parse(line) as { seconds: number }).seconds;
}

function loadFigure(loads: Load[]): Figure {
  const { seconds, emptySeconds } = medianBy(loads, (one) => one.seconds);
  return {
    name: `${size}: start of an access node, to ready`,
    value: `${seconds.toFixed(2)} s (median of ${loads.length})`,
    beside: `with an empty graph: ${emptySeconds.toFixed(2)} s`,
    ratio: null,
    bar: `≤ ${longestSeconds} s`,
    holds: seconds <= longestSeconds,
    rounds: loads,
  };
}

function memoryFigure(loads: Load[]): Figure {
  const name = `${size}: resident memory of an access node`;
  const { mebibytes } = medianBy(loads, (one) => one.mebibytes ?? 0);
  if (mebibytes === null) return leftOut(name, 'this system has no /proc');
  return {
    name,
    value: `${Math.round(mebibytes)} MiB`,
    beside: '',
    ratio: null,
    bar: `≤ ${mostMebibytes} MiB`,
    holds: mebibytes <= mostMebibytes,
    rounds: loads.map((one) => one.mebibytes),
  };
}

async function compareWithSmall(options: Options): Promise<Figure> {
  const large = await startOn(largeWorld);
  const small = await startOn({ ...smallWorld, rolesOfUser: largeWorld.rolesOfUser });
  const figure = await compareTargets(options, {
    subject: { ...large.target, name: `POST /access/check with ${size}` },
    beside: { ...small.target, name: 'with 2,000 assignments' },
    bars: { atLeast: leastRatioToSmall },
  });
  await Promise.all([large.platform.stop(), small.platform.stop()]);
  return figure;
}

async function startOn(worldSize: WorldSize): Promise<{ platform: Platform; target: Omit<Target, 'name'> }> {
  const world = makeWorld(worldSize);
  const dataDir = temporaryFolder();
  const apiKeys = await seedFolder(dataDir, world);
  const platform = await startPlatform(dataDir);
  const questions = wireForPlatform(askWorld(world, questionCount), apiKeys);
  return { platform, target: { port: platform.port, pids: [platform.pid], questions } };
}
