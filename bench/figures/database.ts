import { compare } from '../compare.ts';
import { type Figure, leftOut } from '../figure.ts';
import { type DatabaseJob, type DatabaseResult, type Workload, workloads } from '../load/workloads.ts';
import type { Options } from '../options.ts';
import { runJob, startServer, temporaryFolder } from '../processes.ts';
import { say } from '../progress.ts';
import { openFerretDb, type Peer } from '../servers/ferretdb.ts';

const inFlight = 32;
const leastRatio = 3;

/** The embedded database beside FerretDB on SQLite: the same driver, operations and documents, acknowledged durably. */
export async function measureDatabase(options: Options): Promise<Figure[]> {
  const peer = await openFerretDb();
  if (!peer) return [leftOut('embedded database', 'no FerretDB: set TEST_MONGO_URL to the address of one')];
  const embedded = await startServer<{ url: string }>('servers/embedded-database.ts', { folder: temporaryFolder() });
  const figures: Figure[] = [];
  for (const workload of workloads) figures.push(await measure(options, workload, embedded.address.url, peer));
  await embedded.stop();
  await peer.stop();
  return figures;
}

async function measure(options: Options, workload: Workload, url: string, peer: Peer): Promise<Figure> {
  const load = (url: string): Promise<DatabaseResult> => {
    const time = { seconds: options.seconds, warmUpSeconds: options.seconds / 3 };
    return runJob('load/database-load.ts', { url, workload, inFlight, ...time } satisfies DatabaseJob);
  };
  return await compare(options, {
    name: `embedded database, ${workload}`,
    subject: async () => {
      const result = await load(url);
      if (result.lost !== 0) throw new Error(`The embedded database lost ${result.lost} acknowledged updates.`);
      return result;
    },
    besideName: 'FerretDB',
    beside: async () => {
      const result = await load(peer.url);
      if (result.lost !== 0) say(`FerretDB lost ${result.lost} acknowledged updates; they count as done here.`);
      return result;
    },
    unit: 'op/s',
    atLeast: leastRatio,
  });
}
