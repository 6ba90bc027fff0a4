import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Platform, startPlatform } from './platform-process.ts';

type Shared = { server: Server; platform: Promise<Platform> | null };

/**
 * Runs once, before all test files that share a platform. The platform itself is started by the first test that asks
 * for it, here in Jest's own process, so that it outlives the worker that asked.
 */
export default async function setup(): Promise<void> {
  const shared: Shared = { server: createServer(), platform: null };
  shared.server.on('request', async (_request, response) => {
    shared.platform ??= startPlatform();
    try {
      const { url, dataDir, firstRun } = await shared.platform;
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
