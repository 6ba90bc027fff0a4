import { randomUUID } from 'node:crypto';
import { type ApiKeys, seedDatabase } from '../access/seed.ts';
import type { OrganizationAccess } from '../access/world.ts';
import { startServer, temporaryFolder } from '../processes.ts';
import { ready, startNode } from './platform.ts';
import { freePort } from './ports.ts';

export type Pool = { port: number; pids: number[]; apiKeys: ApiKeys; stop: () => Promise<void> };

/**
 * A node with the gateway and identity and another with access, connected by NATS, on one separate embedded database.
 */
export async function startPool(
  natsUrl: string,
  world: OrganizationAccess[],
  more: Record<string, string> = {},
): Promise<Pool> {
  const database = await startServer<{ url: string }>('servers/embedded-database.ts', { folder: temporaryFolder() });
  const apiKeys = await seedDatabase(database.address.url, world);
  const port = await freePort();
  const name = `bench-${randomUUID().slice(0, 13)}`;
  const environment = {
    NATS_URL: natsUrl,
    MONGO_URL: database.address.url,
    NAMESPACE: name,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    STORAGE_URL: `http://127.0.0.1:${await freePort()}`,
    SECRET_KEY: randomUUID(),
    REQUIRED_SERVICES: 'identity,access',
    ...more,
  };
  const nodes = [
    await startNode(['gateway', 'identity'], {
      ...environment,
      DATA_DIR: temporaryFolder(),
      PORT: String(port),
      NODE_ID: `${name}-front`,
    }),
    await startNode(['access'], { ...environment, DATA_DIR: temporaryFolder(), NODE_ID: `${name}-access` }),
  ];
  await ready(nodes, port);
  return {
    port,
    pids: nodes.map(({ pid }) => pid),
    apiKeys,
    async stop() {
      await Promise.all(nodes.map(({ stop }) => stop()));
      await database.stop();
    },
  };
}
