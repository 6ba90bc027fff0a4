import { execFileSync } from 'node:child_process';
import { readdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clientOf } from '../../support/client.ts';
import { send } from '../../support/http.ts';
import { type Platform, startNode, startPlatform, urlOf } from '../../support/platform.ts';
import { storageOf } from '../../support/storage-client.ts';
import { createTenant, databaseUrlOf } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

const mebibyte = 1024 * 1024;

const freeMebibytes = (): number => {
  const { bavail, bsize } = statfsSync(tmpdir());
  return Math.ceil((bavail * bsize) / mebibyte);
};

describe('a disk with less room than the reserve', () => {
  test('refuses uploads and nothing else', async () => {
    const platform = await startPlatform({ env: { DISK_RESERVE_MIB: `${2 * freeMebibytes()}` } });
    try {
      const tenant = await createTenant(await databaseUrlOf(platform));
      const client = clientOf({ url: platform.url, ...tenant });
      const storage = await storageOf(client);
      const refusal = { status: 507, body: { error: 'STORE_FULL' } };
      expect(await storage.put(tenant.orgId, 'a.txt', 'x')).toMatchObject(refusal);
      expect(await storage.upload([['file', { name: 'a.txt', bytes: 'x' }]])).toMatchObject(refusal);
      const name = tenant.orgId.replace('_', '-');
      expect(await client.call('storage.buckets.create', { body: { name } })).toMatchObject({ name });
      const usage = await client.call('storage.usage.read', { query: {} });
      expect(usage.storage.usedGb).toBe(0);
      expect((await send(platform.url, { path: '/health/ready' })).status).toBe(200);
    } finally {
      await platform.stop();
    }
  });

  test('is not ready once there is too little for the database too, and says so', async () => {
    const node = startNode({ env: { DISK_RESERVE_MIB: `${16 * freeMebibytes()}` } });
    try {
      const url = await urlOf(node);
      await eventually(async () => {
        const { status, body } = await send<{ missing: string[] }>(url, { path: '/health/ready' });
        expect({ status, missing: body.missing }).toEqual({ status: 503, missing: ['disk'] });
      });
    } finally {
      await node.stop();
    }
  });
});

describe('a disk without room', () => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform.stop());

  test('refuses an upload with 507, keeps nothing of it, and loses nothing', async () => {
    const tenant = await createTenant(await databaseUrlOf(platform), { plan: 'scale' });
    const client = clientOf({ url: platform.url, ...tenant });
    const storage = await storageOf(client);
    const { orgId: bucket } = tenant;
    expect((await storage.put(bucket, 'a.txt', 'before')).status).toBe(200);
    // The process may write no larger file from now on, which it is told as it is told that the disk is full.
    execFileSync('prlimit', ['--pid', `${platform.pid}`, `--fsize=${16 * mebibyte}:`]);
    const large = Buffer.alloc(20 * mebibyte, 'x');
    const refusal = { status: 507, body: { error: 'STORE_FULL' } };
    expect(await storage.put(bucket, 'a.txt', large)).toMatchObject(refusal);
    expect(await storage.put(bucket, 'b.txt', large)).toMatchObject(refusal);
    expect(await storage.upload([['file', { name: 'c.txt', bytes: large }]])).toMatchObject(refusal);
    const signed = await client.call('storage.presign.upload', { body: { bucket, key: 'd', mimeType: 'text/plain' } });
    const put = await fetch(signed.uploadUrl, { method: 'PUT', headers: signed.headers, body: large });
    expect({ status: put.status, body: await put.json() }).toMatchObject(refusal);

    expect(await storage.get(bucket, 'a.txt')).toMatchObject({ status: 200, text: 'before' });
    const { data } = await client.call('storage.objects.list', { path: { bucketName: bucket }, query: {} });
    expect(data.map(({ key }) => key)).toEqual(['a.txt']);
    expect(readdirSync(join(platform.dataDir, 'objects', 'unfinished'))).toEqual([]);
    expect(readdirSync(join(platform.dataDir, 'objects', 'files', bucket))).toHaveLength(1);
    await eventually(async () => {
      const usage = await client.call('storage.usage.read', { query: {} });
      expect(usage.storage.usedGb).toBe('before'.length / 1e9);
    });
    expect((await storage.put(bucket, 'e.txt', 'small')).status).toBe(200);
  });
});
