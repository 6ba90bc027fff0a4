import { randomUUID } from 'node:crypto';
import type { ServiceBroker } from 'moleculer';
import { introduce, withDatabase } from './database.ts';
import { freePort } from './free-port.ts';
import {
  type FirstRun,
  firstRunOf,
  type NodeOptions,
  type NodeProcess,
  ready,
  runs,
  startNode,
  urlOf,
} from './platform-process.ts';
import { until } from './until.ts';

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

type ServerVariable =
  | 'TEST_NATS_URL'
  | 'TEST_MONGO_URL'
  | 'TEST_REDIS_URL'
  | 'TEST_S3_URL'
  | 'TEST_S3_ACCESS_KEY'
  | 'TEST_S3_SECRET_KEY';

/** The address of a server for tests, or a key of it, from the environment. */
export function serverVariable(name: ServerVariable): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}: these tests need that server.`);
  return value;
}

/** The settings by which nodes keep objects in a bucket of their own at the S3 server for tests. */
export function objectStoreEnvironment(): Record<string, string> {
  return {
    S3_URL: serverVariable('TEST_S3_URL'),
    S3_ACCESS_KEY: serverVariable('TEST_S3_ACCESS_KEY'),
    S3_SECRET_KEY: serverVariable('TEST_S3_SECRET_KEY'),
    S3_BUCKET: `test-${randomUUID()}`,
  };
}

/** Starts a pool of nodes over NATS with an own database, unless MONGO_URL names one, and waits until every gateway says it is ready. */
export async function startPool(options: NodeOptions[], env: Record<string, string> = {}): Promise<Pool> {
  const name = `test-${randomUUID().slice(0, 13)}`;
  const databaseUrl = env.MONGO_URL ?? `${serverVariable('TEST_MONGO_URL')}/${name}`;
  // All nodes have one PUBLIC_URL and one STORAGE_URL, those of the first gateway and the first storage node.
  const [port, storagePort] = [String(freePort()), String(freePort())];
  const common = {
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    STORAGE_URL: `http://127.0.0.1:${storagePort}`,
    NATS_URL: serverVariable('TEST_NATS_URL'),
    MONGO_URL: databaseUrl,
    NAMESPACE: name,
    SECRET_KEY: randomUUID(),
    DEV_MAILBOX: 'yes',
    ...env,
  };
  const firstGateway = options.findIndex((one) => runs(one, 'gateway'));
  const firstStorage = options.findIndex((one) => runs(one, 'storage'));
  const nodes = options.map((one, index) => {
    const ports = {
      ...(index === firstGateway && { PORT: port }),
      ...(index === firstStorage && { STORAGE_PORT: storagePort }),
    };
    return startNode({ ...one, env: { ...common, ...ports, ...one.env } });
  });
  const gateways = nodes.filter((_node, index) => runs(options[index] ?? {}, 'gateway'));
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

/**
 * Starts the broker of an operator in a pool with this environment, and waits until these nodes take its calls. It runs no
 * services, sees every node and calls their control actions.
 */
export async function startOperator(env: Pool['env'], nodeIDs: string[] = []): Promise<ServiceBroker> {
  const { NAMESPACE: namespace, NATS_URL: url } = env;
  const transporter = { type: 'NATS' as const, options: { url } };
  // It learns of a killed node as soon as the nodes do.
  const heartbeats = { heartbeatInterval: 2, heartbeatTimeout: 6 };
  // Few tests have an operator, and every test file would load the package for itself.
  const { ServiceBroker: Broker } = await import('moleculer');
  const operator = new Broker({ namespace, nodeID: 'operator', transporter, logger: false, ...heartbeats });
  await operator.start();
  const takesCalls = (id: string) => {
    const services = operator.registry.getServiceList({ onlyAvailable: true }) as { name: string; nodeID: string }[];
    return services.some(({ name, nodeID }) => name === 'node' && nodeID === id);
  };
  try {
    await until(() => nodeIDs.every(takesCalls));
  } catch (error) {
    await operator.stop();
    throw error;
  }
  return operator;
}
