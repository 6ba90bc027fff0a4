import type { Shared } from './global-setup.ts';

/** Stops the platform that the tests shared, if any test asked for it. */
export default async function teardown(): Promise<void> {
  const { server, platform } = (globalThis as unknown as { shared: Shared }).shared;
  server.close();
  server.closeAllConnections();
  await platform?.then((started) => started.stop()).catch(() => null);
}
