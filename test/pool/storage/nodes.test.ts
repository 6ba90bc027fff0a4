import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { noise } from '../../integration/storage/images/test-images.ts';
import { storesLargeObjects } from '../../integration/storage/large-objects.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { freePort } from '../../support/free-port.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/own-database.ts';
import { ready } from '../../support/platform.ts';
import { objectStoreEnvironment, type Pool, startPool } from '../../support/pool.ts';
import { createTenant, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { servesOutsideClients } from './outside-clients.ts';

/** Two storage nodes over one S3 store and one database: the first with all other services. */
let database: OwnDatabase;
let pool: Pool;
let tenant: Tenant;
let client: Client;
let [first, second] = ['', ''];

beforeAll(async () => {
  const ports = [freePort(), freePort()];
  [first, second] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const places = ports.map((port) => ({ STORAGE_PORT: `${port}`, STORAGE_URL: first }));
  // Counts are exact where updates of a document are atomic, which they are not on the second implementation.
  database = await startOwnDatabase({ port: 0 });
  pool = await startPool(
    [{ env: { NODE_ID: 'all', ...places[0] } }, { services: ['storage'], env: { NODE_ID: 'storage-2', ...places[1] } }],
    { ...objectStoreEnvironment(), MONGO_URL: database.url },
  );
  await ready(second, pool.nodes[1]!);
  tenant = await createTenant(pool.databaseUrl, { plan: 'scale' });
  client = clientOf({ url: pool.urls[0]!, ...tenant });
});

afterAll(async () => {
  await pool?.stop();
  await database?.close();
});

const put = (node: string, key: string, body: string | Buffer) =>
  client.send<{ version: string; sha256: string }>('PUT', `${node}/v1/objects/${tenant.orgId}/${key}`, body, {
    'content-type': 'application/octet-stream',
  });
const get = (node: string, path: string) => fetch(`${node}/cdn/${tenant.orgId}/${path}`);

describe('two storage nodes', () => {
  test('serve what either has stored, from the answer on', async () => {
    expect((await put(first, 'a.txt', 'first')).status).toBe(200);
    expect(await (await get(second, 'a.txt')).text()).toBe('first');
    expect((await put(second, 'a.txt', 'second')).status).toBe(200);
    expect(await (await get(first, 'a.txt')).text()).toBe('second');
    const removed = await client.send('DELETE', `${first}/v1/objects/${tenant.orgId}/a.txt`);
    expect(removed.status).toBe(204);
    expect((await get(second, 'a.txt')).status).toBe(404);
  });

  test('take one PUT of a signed address between them', async () => {
    const body = { bucket: tenant.orgId, key: 'signed.txt', mimeType: 'text/plain' };
    const { uploadUrl, headers } = await client.call('storage.presign.upload', { body });
    const answers = await Promise.all(
      [uploadUrl, uploadUrl.replace(first, second)].map((url) => fetch(url, { method: 'PUT', headers, body: 'once' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test('keep one image that both are asked for at the same time', async () => {
    const { body } = await put(first, 'a.jpg', await noise(800, 600).jpeg().toBuffer());
    const images = await Promise.all([first, second, first, second].map((node) => get(node, 'a.jpg?w=300')));
    expect(images.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(images.map(({ headers }) => headers.get('etag'))).size).toBe(1);
    const countOf = (name: string, filter: object) =>
      withDatabase(pool.databaseUrl, (database) => database.collection(name).countDocuments(filter));
    await eventually(async () => {
      expect(await countOf('storage_derivatives', { source: body.version })).toBe(1);
      expect(await countOf('storage_uploads', { orgId: tenant.orgId, state: 'open' })).toBe(0);
    });
    expect(await countOf('storage_derivatives', { source: body.version })).toBe(1);
  });

  test('count exactly, whichever of them replaces or deletes', async () => {
    const other = await createTenant(pool.databaseUrl, { plan: 'scale' });
    const theirs = clientOf({ url: pool.urls[0]!, ...other });
    const headers = { 'content-type': 'text/plain' };
    const acts = Array.from({ length: 60 }, (_none, at) => {
      const url = `${at % 2 ? first : second}/v1/objects/${other.orgId}/${at % 3}.txt`;
      return at % 4 === 3
        ? theirs.send('DELETE', url)
        : theirs.send('PUT', url, 'x'.repeat(1 + (at % 7) * 10), headers);
    });
    const statuses = (await Promise.all(acts)).map(({ status }) => status);
    // A pool that has too much to do may refuse some.
    expect(statuses.filter((status) => ![200, 204, 404, 503].includes(status))).toEqual([]);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(30);
    await eventually(async () => {
      const { data } = await theirs.call('storage.objects.list', { path: { bucketName: other.orgId }, query: {} });
      const stored = data.reduce((sum, { size }) => sum + size, 0);
      const usage = await theirs.call('storage.usage.read', { query: {} });
      expect(usage.storage.usedGb).toBeCloseTo(stored / 1e9, 12);
    });
  });
});

describe('objects in S3', () => {
  storesLargeObjects(() => ({ node: pool.nodes[0]!, url: pool.urls[0]!, tenant: large }));

  let large: Tenant;
  beforeAll(async () => {
    large = await createTenant(pool.databaseUrl, { plan: 'scale' });
  });
});

describe('on a pool with S3', () => {
  servesOutsideClients(async () => ({ url: pool.urls[0]!, databaseUrl: pool.databaseUrl }));
});

describe('two storage nodes of which one is killed', () => {
  test('keep what was acknowledged, and the other goes on', async () => {
    const acknowledged: string[] = [];
    const upload = async (at: number) => {
      const key = `${newId('obj')}.txt`;
      const { status } = await put(at % 2 ? first : second, key, key).catch(() => ({ status: 0 }));
      if (status === 200) acknowledged.push(key);
      if (at === 20) await pool.nodes[1]!.kill();
    };
    await Promise.all(Array.from({ length: 40 }, (_none, at) => upload(at)));
    expect(acknowledged.length).toBeGreaterThan(15);
    for (const key of acknowledged) expect(await (await get(first, key)).text()).toBe(key);
    expect((await put(first, 'after.txt', 'after')).status).toBe(200);
  });
});
