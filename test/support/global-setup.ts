import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type NodeOptions, type Platform, startPlatform } from './platform-process.ts';

type Shared = { server: Server; platforms: Map<string, Promise<Platform>> };

/** What is asked for by its path: `operated` is for tests that run jobs, which the platform does not do over HTTP. */
const entries: Record<string, NodeOptions> = {
  '/': {},
  '/operated': { entry: 'test/support/operated-platform.ts' },
};

/**
 * Runs once, before all test files that share a platform. Each platform is started by the first test that asks for it,
 * here in Jest's own process, so that it outlives the worker that asked.
 */
export default async function setup(): Promise<void> {
  const shared: Shared = { server: createServer(), platforms: new Map() };
  shared.server.on('request', async ({ url: path = '/' }, response) => {
    const asked = shared.platforms.get(path) ?? startPlatform(entries[path]);
    shared.platforms.set(path, asked);
    try {
      const { url, dataDir, firstRun } = await asked;
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ url, dataDir, firstRun }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => shared.server.listen(0, '127.0.0.1', resolve));
  process.env.SHARED_PLATFORM = `http://127.0.0.1:${(shared.server.address() as AddressInfo).port}`;
  Object.assign(globalThis, { shared });
}

export type { Shared };
