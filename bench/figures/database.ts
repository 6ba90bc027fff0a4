import { compare } from '../compare.ts';
import type { Figure } from '../figure.ts';
import { medianBy } from '../figure.ts';
import { type DatabaseJob, type DatabaseResult, type Workload, workloads } from '../load/workloads.ts';
import type { Options } from '../options.ts';
import { runJob, startServer, temporaryFolder } from '../processes.ts';
import { describeLoad, say } from '../progress.ts';

const inFlight = 32;
const leastRatioToFerretDb = 3;
const unit = 'op/s';

/** Another implementation of the protocol, by name and version. */
export type Peer = { name: string; url: string };

/**
 * Compares the embedded database with the one at TEST_MONGO_URL: the same driver, operations and documents, with
 * durable acknowledgement. Without TEST_MONGO_URL it is measured alone.
 */
export async function measureDatabase(options: Options): Promise<Figure[]> {
  const peer = await findPeer();
  const embedded = await startServer<{ url: string }>('servers/embedded-database.ts', { folder: temporaryFolder() });
  const { url } = embedded.address;
  const figures: Figure[] = [];
  for (const workload of workloads) {
    const load = (address: string) => runWorkload(options, workload, address);
    figures.push(
      await (peer ? measureBeside(options, workload, peer, url, load) : measureAlone(options, workload, url, load)),
    );
  }
  await embedded.stop();
  return figures;
}

export async function findPeer(): Promise<Peer | null> {
  const url = process.env.TEST_MONGO_URL;
  return url ? { url, name: await runJob<string>('load/name-database.ts', { url }) } : null;
}

type Load = (url: string) => Promise<DatabaseResult>;

function measureBeside(options: Options, workload: Workload, peer: Peer, url: string, load: Load): Promise<Figure> {
  return compare(options, {
    name: nameOf(workload),
    subject: async () => withoutLoss(await load(url)),
    besideName: peer.name,
    beside: async () => {
      const result = await load(peer.url);
      if (result.lost !== 0) say(`${peer.name} lost ${result.lost} acknowledged updates; they count as done here.`);
      return result;
    },
    unit,
    atLeast: peer.name.startsWith('FerretDB') ? leastRatioToFerretDb : undefined,
  });
}

async function measureAlone(options: Options, workload: Workload, url: string, load: Load): Promise<Figure> {
  const rounds: DatabaseResult[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    const result = withoutLoss(await load(url));
    rounds.push(result);
    say(`${nameOf(workload)}, round ${round}/${options.rounds}: ${describeLoad(result, unit)}`);
  }
  return {
    name: nameOf(workload),
    value: describeLoad(
      medianBy(rounds, ({ perSecond }) => perSecond),
      unit,
    ),
    beside: 'no peer: set TEST_MONGO_URL to the URL of a FerretDB on SQLite',
    ratio: null,
    bar: `≥ ${leastRatioToFerretDb} × FerretDB`,
    holds: null,
    rounds,
  };
}

function runWorkload(options: Options, workload: Workload, url: string): Promise<DatabaseResult> {
  const time = { seconds: options.seconds, warmUpSeconds: options.seconds / 3 };
  return runJob('load/database-load.ts', { url, workload, inFlight, ...time } satisfies DatabaseJob);
}

function withoutLoss(result: DatabaseResult): DatabaseResult {
  if (result.failures > 0) throw new Error(`The embedded database failed: ${result.firstFailure}`);
  if (result.lost !== 0) throw new Error(`The embedded database lost ${result.lost} acknowledged updates.`);
  return result;
}

function nameOf(workload: Workload): string {
  return `embedded database, ${workload}`;
}
