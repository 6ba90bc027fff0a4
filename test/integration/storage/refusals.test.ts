import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Headers } from '../../support/client.ts';
import { type StorageClient, storageOf } from '../../support/storage-client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { withScopes } from '../access/keys.ts';

let client: Client & Tenant;
let storage: StorageClient;
let bucket: string;
let other: Client;
beforeAll(async () => {
  [client, other] = [await newTenantClient(), await newTenantClient()];
  storage = await storageOf(client);
  bucket = client.orgId.replace('_', '-');
  await client.call('storage.buckets.create', { body: { name: bucket } });
  await storage.put(bucket, 'a.txt', 'private');
  await storage.put(client.orgId, 'a.txt', 'public');
});

const anonymous = { authorization: null, 'x-tenant-id': null };

describe('an object is read and written with a credential and its organization, which', () => {
  const refusals: [what: string, headers: () => Headers, status: number, error: string][] = [
    ['are both missing', () => anonymous, 401, 'CREDENTIAL_REQUIRED'],
    [
      'a wrong credential comes without',
      () => ({ authorization: 'Bearer x', 'x-tenant-id': null }),
      401,
      'CREDENTIAL_INVALID',
    ],
    ['a credential comes without', () => ({ 'x-tenant-id': null }), 400, 'TENANT_REQUIRED'],
    ['a credential comes with no id for', () => ({ 'x-tenant-id': 'x' }), 400, 'TENANT_INVALID'],
    ['a credential is not of', () => ({ 'x-tenant-id': other.orgId }), 403, 'TENANT_MISMATCH'],
  ];
  test.each(refusals)('%s: %#', async (_what, headers, status, error) => {
    expect(await storage.get(bucket, 'a.txt', headers())).toMatchObject({ status, body: { error } });
    expect(await storage.put(bucket, 'a.txt', 'new', headers())).toMatchObject({ status, body: { error } });
    expect((await storage.get(bucket, 'a.txt')).text).toBe('private');
  });

  test('the shape of the request goes before', async () => {
    expect((await storage.get(bucket, 'x'.repeat(1025), anonymous)).status).toBe(400);
    expect((await storage.put(bucket, 'x'.repeat(1025), 'new', { 'x-tenant-id': other.orgId })).status).toBe(400);
  });

  test('the lack of a permission goes before a bucket that is not there', async () => {
    const mailer = await storageOf(await withScopes(client, ['mail.send']));
    expect(await mailer.get('none', 'a.txt')).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
    expect(await mailer.put('none', 'a.txt', 'a')).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
    expect(await storage.put('none', 'a.txt', 'a')).toMatchObject({ status: 404 });
  });

  test.each<Headers>([anonymous, { 'x-tenant-id': null }, {}])('a public object does not need: %j', async (headers) => {
    expect((await storage.get(client.orgId, 'a.txt', headers)).text).toBe('public');
  });
});
