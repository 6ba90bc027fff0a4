import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from '@jest/globals';
import { type Middleware, ServiceBroker, type ServiceSchema } from 'moleculer';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import type { CallInput, CallOutput, Calls } from '../../../lib/contract/context.ts';
import type { OpenStore } from '../../../services/access/store/open-store.ts';
import { limitsService } from '../../support/limits-service.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

/** What of the network's packets reaches a node: each is handed on as often and whenever `deliver` is called. */
export type Network = (kind: string, deliver: () => void) => void;

/** A node that runs the access service; `network` is what comes in, all of it when a test begins. */
export type AccessNode = {
  broker: ServiceBroker;
  store: OpenStore;
  network: Network;
  call: <N extends keyof Calls & string>(name: N, input: CallInput<N>) => Promise<CallOutput<N>>;
  lacks: () => Promise<string[]>;
  stop: () => Promise<void>;
};

export type OwnCluster = {
  /** The way of all nodes to their database. */
  database: TcpProxy;
  start: (...others: ServiceSchema[]) => Promise<AccessNode>;
};

export const everything: Network = (_kind, deliver) => deliver();
/** The network is gone. */
export const nothing: Network = () => undefined;
/** Events are lost; calls and their answers arrive. */
export const noEvents: Network = (kind, deliver) => {
  if (kind !== 'EVENT') deliver();
};
/** Whatever a node asks or tells another is lost; that it is there is known. */
export const onlyPresence: Network = (kind, deliver) => {
  if (!['EVENT', 'REQ', 'RES'].includes(kind)) deliver();
};

/**
 * Nodes with the access service in this process, joined by Moleculer's in-process transporter, on one embedded database
 * that they reach by a way that can be cut. Must be called before anything is imported that reads settings.
 */
export async function ownCluster(env: Record<string, string> = {}): Promise<OwnCluster> {
  const dir = mkdtempSync(join(tmpdir(), 'cluster-'));
  const server: EmbeddedMongo = await startEmbeddedMongo({ dir, port: 0 });
  const database = await startTcpProxy(server.url);
  const MONGO_URL = `mongodb://127.0.0.1:${database.port}/platform?directConnection=true`;
  Object.assign(process.env, { DATA_DIR: dir, MONGO_URL, NAMESPACE: `access-${process.pid}`, ...env });
  const { default: brokerOptions } = await import('../../../moleculer.config.ts');
  const { default: access } = await import('../../../services/access/access.service.ts');
  const { nodeService } = await import('../../../runtime/node-service.ts');
  const nodes = new Set<AccessNode>();
  let count = 0;

  afterEach(async () => {
    await database.mend();
    for (const node of nodes) node.network = everything;
  });
  afterAll(async () => {
    await Promise.all([...nodes].map((node) => node.stop()));
    await database.close();
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  });

  return {
    database,
    async start(...others) {
      count += 1;
      const options = brokerOptions();
      const middlewares = [...(options.middlewares ?? []), packetsOf(() => node.network)];
      const nodeID = `node-${count}`;
      const broker = new ServiceBroker({
        ...options,
        nodeID,
        transporter: 'Fake',
        logger: false,
        middlewares,
      });
      const node: AccessNode = {
        broker,
        network: everything,
        call: (name, input) => broker.call(name, input, { nodeID }),
        lacks: () => broker.call<string[], object>('node.readiness', {}, { nodeID }),
        async stop() {
          nodes.delete(node);
          node.network = everything;
          await broker.stop();
        },
        get store() {
          return (broker.getLocalService('access') as unknown as { store: OpenStore }).store;
        },
      };
      nodes.add(node);
      for (const schema of [nodeService(), access as unknown as ServiceSchema, limitsService(), ...others])
        broker.createService(schema);
      await broker.start();
      return node;
    },
  };
}

function packetsOf(network: () => Network): Middleware {
  return {
    name: 'Packets',
    transporterReceive(next: (...packet: unknown[]) => unknown) {
      return (...packet: unknown[]) => network()(String(packet[0]), () => void next(...packet));
    },
  } as unknown as Middleware;
}

/** Whether every node sees every other one's access service. */
export function isComplete(nodes: AccessNode[]): boolean {
  return nodes.every(({ broker }) => {
    const services = broker.registry.getServiceList({ onlyAvailable: true }) as { name: string; nodeID: string }[];
    return nodes.every((node) =>
      services.some(({ name, nodeID }) => name === 'access' && nodeID === node.broker.nodeID),
    );
  });
}
