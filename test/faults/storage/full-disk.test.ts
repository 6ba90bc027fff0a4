import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clientOf } from '../../support/client.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { storageOf } from '../../support/storage-client.ts';
import { createTenant, databaseUrlOf } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

const mebibyte = 1024 * 1024;

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
