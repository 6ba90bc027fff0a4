import { compareTargets, type Target } from '../access/ask.ts';
import type { EngineName } from '../access/engines.ts';
import { type ApiKeys, seedFolder } from '../access/seed.ts';
import { type WiredQuestion, wireForCerbos, wireForPlatform } from '../access/wire.ts';
import { askWorld, makeWorld, type OrganizationAccess, type Question, smallWorld } from '../access/world.ts';
import { compare } from '../compare.ts';
import { type Figure, leftOut } from '../figure.ts';
import type { DecisionJob } from '../load/decision-load.ts';
import type { LoadResult } from '../load/result.ts';
import type { Options } from '../options.ts';
import { runJob, type Served, startServer, temporaryFolder } from '../processes.ts';
import type { BareDecisionsOptions } from '../servers/bare-decisions.ts';
import { startCerbos } from '../servers/cerbos.ts';
import { startPlatform } from '../servers/platform.ts';
import { startPool } from '../servers/pool.ts';

const questionCount = 2_000;
const alone = { atLeast: 0.25, p99AtMost: 10 };
const withoutRequestLog = { atLeast: 0.3 };
const overNats = { atLeast: 0.19, p99AtMost: 25 };
const leastRatioToCerbos = 3;

/** Measures checks per second in process and over HTTP, each compared with engines that give the same answers. */
export async function measureAccess(options: Options): Promise<Figure[]> {
  const world = makeWorld(smallWorld);
  const questions = askWorld(world, questionCount);
  return [
    await compareEngines(options, 'casl', 'CASL, abilities built in advance'),
    await compareEngines(options, 'casbin', 'casbin, enforceSync'),
    ...(await measureAlone(options, world, questions)),
    await measureOverNats(options, world, questions),
  ];
}

function compareEngines(options: Options, peer: EngineName, besideName: string): Promise<Figure> {
  const load = (engine: EngineName): Promise<LoadResult> => {
    const time = { seconds: options.seconds, warmUpSeconds: options.seconds / 3 };
    const job: DecisionJob = { engine, world: smallWorld, questions: questionCount, ...time };
    return runJob('load/decision-load.ts', job);
  };
  return compare(options, {
    name: `checks in process, compared with ${peer}`,
    subject: () => load('graph'),
    besideName,
    beside: () => load(peer),
    unit: 'checks/s',
  });
}

async function measureAlone(options: Options, world: OrganizationAccess[], questions: Question[]): Promise<Figure[]> {
  const dataDir = temporaryFolder();
  const apiKeys = await seedFolder(dataDir, world);
  const platform = await startPlatform(dataDir);
  const bare = await startBare('map', apiKeys);
  const casbin = await startBare('casbin', apiKeys);
  const cerbos = await startCerbos(world);
  const wired = wireForPlatform(questions, apiKeys);
  const name = 'POST /access/check, one process';
  const subject = { name, port: platform.port, questions: wired, pids: [platform.pid] };
  const beside = bareTarget('node:http with a Map', bare, wired);
  const figures = [
    await compareTargets(options, { subject, beside, bars: alone }),
    await measureWithoutRequestLog(options, { beside, world }),
    await compareTargets(options, { subject, beside: bareTarget('node:http with casbin', casbin, wired) }),
    cerbos
      ? await compareTargets(options, {
          subject,
          beside: { name: 'Cerbos', port: cerbos.port, questions: wireForCerbos(questions), pids: [cerbos.pid] },
          bars: { atLeast: leastRatioToCerbos },
        })
      : leftOut(`${name}, compared with Cerbos`, 'it has no package for this system'),
  ];
  await Promise.all([platform, bare, casbin, cerbos].map((server) => server?.stop()));
  return figures;
}

/** Measures with LOG_LEVEL=warn: the difference is the cost of logging each request. */
async function measureWithoutRequestLog(
  options: Options,
  { beside, world }: { beside: Target; world: OrganizationAccess[] },
): Promise<Figure> {
  const dataDir = temporaryFolder();
  const apiKeys = await seedFolder(dataDir, world);
  const { port, pid, stop } = await startPlatform(dataDir, { LOG_LEVEL: 'warn' });
  const questions = wireForPlatform(askWorld(world, questionCount), apiKeys);
  const subject = { name: 'POST /access/check, one process, LOG_LEVEL=warn', port, questions, pids: [pid] };
  const figure = await compareTargets(options, { subject, beside, bars: withoutRequestLog });
  await stop();
  return figure;
}

async function measureOverNats(options: Options, world: OrganizationAccess[], questions: Question[]): Promise<Figure> {
  const name = 'POST /access/check, access on another node over NATS';
  const natsUrl = process.env.TEST_NATS_URL;
  if (!natsUrl) return leftOut(name, 'set TEST_NATS_URL to the address of a NATS server');
  const pool = await startPool(natsUrl, world);
  const bare = await startBare('map', pool.apiKeys);
  const wired = wireForPlatform(questions, pool.apiKeys);
  const subject = { name, port: pool.port, questions: wired, pids: pool.pids };
  const figure = await compareTargets(options, {
    subject,
    beside: bareTarget('node:http with a Map', bare, wired),
    bars: overNats,
  });
  await Promise.all([pool.stop(), bare.stop()]);
  return figure;
}

type Bare = Served<{ port: number }>;

function startBare(engine: EngineName, apiKeys: ApiKeys): Promise<Bare> {
  const organizations = Object.fromEntries([...apiKeys].map(([orgId, apiKey]) => [`Bearer ${apiKey}`, orgId]));
  const bareOptions: BareDecisionsOptions = { engine, world: smallWorld, organizations };
  return startServer('servers/bare-decisions.ts', bareOptions);
}

function bareTarget(name: string, { address, pid }: Bare, questions: WiredQuestion[]): Target {
  return { name, port: address.port, questions, pids: [pid] };
}
