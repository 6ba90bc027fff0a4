import { expect } from '@jest/globals';
import { send } from './http.ts';
import { type Pool, startOperator } from './pool.ts';
import { writeGreeter } from './service-file.ts';
import { until } from './until.ts';

/**
 * Loads, replaces and unloads a service on a node of a pool, as an operator's console does, and waits after each until
 * the gateway's routes say so. `servicesDir` is the SERVICES_DIR of that node.
 */
export async function expectToLoad(pool: Pool, nodeID: string, servicesDir: string): Promise<void> {
  const operator = await startOperator(pool.env, [nodeID]);
  const [url] = pool.urls as [string];
  const path = '/v1/greeting';
  const answer = () => send<{ greeting?: string }>(url, { path });
  try {
    for (const greeting of ['hello', 'good day']) {
      await operator.call('node.load', { file: writeGreeter(servicesDir, greeting) }, { nodeID });
      await until(async () => (await answer()).body?.greeting === greeting);
    }
    const document = await send<{ paths: object }>(url, { path: '/openapi.json' });
    expect(document.body.paths).toHaveProperty([path]);
    await operator.call('node.unload', { name: 'greeter' }, { nodeID });
    await until(async () => (await answer()).status === 404);
  } finally {
    await operator.stop();
  }
}
