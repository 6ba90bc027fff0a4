import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compare } from '../compare.ts';
import { type Figure, leftOut } from '../figure.ts';
import type { QuotaJob, QuotaResult } from '../load/quota-load.ts';
import type { LoadResult } from '../load/result.ts';
import type { Options } from '../options.ts';
import { runJob, startServer, temporaryFolder } from '../processes.ts';
import { say } from '../progress.ts';
import { startPlatform } from '../servers/platform.ts';
import { loadTarget, postEvent } from './beside-bare.ts';
import { findPeer, type Peer } from './database.ts';

const leastRatioToIncrement = 0.5;
const leastRatioToUnmetered = 0.8;

type Crowd = { organizations: number; inFlight: number; atLeast: number };

/** A small number in flight for many organizations leaves hardly anything to batch. */
const crowds: Crowd[] = [
  { organizations: 1, inFlight: 32, atLeast: leastRatioToIncrement },
  { organizations: 1000, inFlight: 256, atLeast: leastRatioToIncrement },
  { organizations: 1000, inFlight: 32, atLeast: leastRatioToIncrement },
];
/** FerretDB reads all counters to find one, so a thousand of them would measure nothing else. */
const crowdsOfSecond = crowds.map((crowd) => ({ ...crowd, organizations: Math.min(crowd.organizations, 30) }));

/**
 * Measures the cost of a quota: reservations compared with the driver's guarded increment, and events compared with a
 * platform that counts none.
 */
export async function measureQuota(options: Options): Promise<Figure[]> {
  const embedded = await startServer<{ url: string }>('servers/embedded-database.ts', { folder: temporaryFolder() });
  const own: Peer = { name: 'embedded database', url: embedded.address.url };
  const figures = await measureTakes(options, own, crowds);
  await embedded.stop();
  const second = await findPeer();
  figures.push(
    ...(second
      ? await measureTakes(options, second, crowdsOfSecond)
      : [leftOut('quota reservations, second database', 'set TEST_MONGO_URL to the URL of a FerretDB')]),
  );
  return [...figures, await measureEvents(options)];
}

async function measureTakes(options: Options, { name, url }: Peer, all: Crowd[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { organizations, inFlight, ...bar } of all) {
    const load = async (kind: QuotaJob['kind']): Promise<LoadResult> => {
      const time = { seconds: options.seconds, warmUpSeconds: options.seconds / 3 };
      const job: QuotaJob = { url, kind, organizations, inFlight, ...time };
      return withoutLost(name, kind, await runJob<QuotaResult>('load/quota-load.ts', job));
    };
    figures.push(
      await compare(options, {
        name: `quota reservations, ${name}, ${organizations.toLocaleString('en')} organization${organizations > 1 ? 's' : ''}, ${inFlight} in flight`,
        subject: () => load('quota'),
        besideName: "the driver's guarded $inc",
        beside: () => load('bare'),
        unit: 'reservations/s',
        ...bar,
      }),
    );
  }
  return figures;
}

/** A reservation must never be lost. A lost bare increment, where updates are not atomic, does not count. */
function withoutLost(name: string, kind: QuotaJob['kind'], result: QuotaResult): LoadResult {
  const { lost, done, perSecond } = result;
  if (lost === 0) return result;
  const text = `${name}: ${lost} of ${done} acknowledged reservations are missing in the counters`;
  if (kind === 'quota') throw new Error(text);
  say(`${text}; lost bare increments do not count.`);
  return { ...result, perSecond: (perSecond * (done - lost)) / done };
}

/** Two whole platforms, one of which stores its events without a quota check. */
async function measureEvents(options: Options): Promise<Figure> {
  const hooks = pathToFileURL(join(import.meta.dirname, '..', 'servers', 'without-quotas.ts'));
  const metered = await startPlatform();
  const unmetered = await startPlatform(temporaryFolder(), { NODE_OPTIONS: `--import ${hooks}` });
  const figure = await compare(options, {
    name: 'POST /events with quotas, embedded database',
    subject: () => loadTarget(options, metered, postEvent(metered)),
    besideName: 'without',
    beside: () => loadTarget(options, unmetered, postEvent(unmetered)),
    unit: 'req/s',
    atLeast: leastRatioToUnmetered,
  });
  await Promise.all([metered.stop(), unmetered.stop()]);
  return figure;
}
