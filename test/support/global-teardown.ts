import type { Shared } from './global-setup.ts';

/** Stops the platforms that the tests shared. */
export default async function teardown(): Promise<void> {
  const { server, platforms } = (globalThis as unknown as { shared: Shared }).shared;
  server.close();
  server.closeAllConnections();
  const stopped = [...platforms.values()].map((platform) => platform.then((started) => started.stop()));
  await Promise.allSettled(stopped);
}
