import { randomUUID } from 'node:crypto';
import { introduce, withDatabase } from './database.ts';
import { freePort } from './free-port.ts';
import {
  type FirstRun,
  firstRunOf,
  type NodeOptions,
  type NodeProcess,
  ready,
  startNode,
  urlOf,
} from './platform-process.ts';

/** The nodes of a pool, in the order they were asked for, and what one needs to call it. */
export type Pool = {
  nodes: NodeProcess[];
  /** The gateways among them. */
  urls: string[];
  databaseUrl: string;
  firstRun: FirstRun;
  /** What a further node of this pool needs in its environment. */
  env: Record<string, string>;
  /** Stops every node and drops the pool's database. Gives the exit codes. */
  stop: () => Promise<(number | null)[]>;
};

/** An address that the tests of a pool are given in their environment. */
export function serverUrl(name: 'TEST_NATS_URL' | 'TEST_MONGO_URL' | 'TEST_REDIS_URL'): string {
  const url = process.env[name];
  if (!url) throw new Error(`${name} must be the address of a server for tests.`);
  return url;
}

/** Starts a pool of nodes over NATS with a database of its own, and waits until every gateway says it is ready. */
export async function startPool(options: NodeOptions[], env: Record<string, string> = {}): Promise<Pool> {
  const name = `test-${randomUUID().slice(0, 13)}`;
  const databaseUrl = `${serverUrl('TEST_MONGO_URL')}/${name}`;
  // Pages and tokens name the address of the pool, which identity must know too: that of the first gateway.
  const port = String(freePort());
  const common = {
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    NATS_URL: serverUrl('TEST_NATS_URL'),
    MONGO_URL: databaseUrl,
    NAMESPACE: name,
    SECRET_KEY: randomUUID(),
    DEV_MAILBOX: 'yes',
    ...env,
  };
  const first = options.findIndex(hasGateway);
  const nodes = options.map((one, index) =>
    startNode({ ...one, env: { ...common, ...(index === first && { PORT: port }), ...one.env } }),
  );
  const gateways = nodes.filter((_node, index) => hasGateway(options[index] ?? {}));
  const urls = await Promise.all(gateways.map(urlOf));
  await Promise.all(gateways.map((gateway, index) => ready(urls[index]!, gateway)));
  if (urls[0]) introduce(databaseUrl, { url: urls[0], publicUrl: common.PUBLIC_URL });
  return {
    nodes,
    urls,
    databaseUrl,
    firstRun: Object.assign({}, ...nodes.map(({ dataDir }) => firstRunOf(dataDir))),
    env: common,
    async stop() {
      const codes = await Promise.all(nodes.map((node) => node.stop()));
      await withDatabase(databaseUrl, (database) => database.dropDatabase());
      return codes;
    },
  };
}

const hasGateway = ({ services }: NodeOptions): boolean => services?.includes('gateway') ?? true;
