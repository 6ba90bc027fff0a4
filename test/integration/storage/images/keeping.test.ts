import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Db } from 'mongodb';
import { encodeKey } from '../../../../services/storage/content/object-key.ts';
import { clientOf } from '../../../support/client.ts';
import { runJob } from '../../../support/operator.ts';
import { type SharedPlatform, sharedOperatedPlatform } from '../../../support/shared-platform.ts';
import { type StorageClient, storageOf } from '../../../support/storage-client.ts';
import { createTenant, databaseUrlOf, withDatabase } from '../../../support/tenants.ts';
import { eventually } from '../../../support/until.ts';
import { createUser, sessionClientOf } from '../../../support/user-client.ts';
import { quarters } from './test-images.ts';

/** A platform whose sweeps run when a test says so. */
let platform: SharedPlatform;
let storage: StorageClient;
let bucket: string;

beforeAll(async () => {
  platform = await sharedOperatedPlatform();
  const tenant = await createTenant(await databaseUrlOf(platform), { plan: 'scale' });
  storage = await storageOf(clientOf({ url: platform.url, ...tenant }));
  bucket = tenant.orgId;
});

type Derivative = { _id: string; orgId: string; source: string; file: string; size: number; usedAt: Date };
type Usage = { _id: string; bytes: number };
type Named = { _id: string };

const inDatabase = async <T>(work: (database: Db) => Promise<T>): Promise<T> =>
  await withDatabase(await databaseUrlOf(platform), work as never);
const derivatives = (filter: object = {}) =>
  inDatabase((database) => database.collection<Derivative>('storage_derivatives').find(filter).toArray());
const change = (collection: string, filter: object, fields: object) =>
  inDatabase((database) => database.collection<Named>(collection).updateMany(filter, { $set: fields }));
const past = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);

async function sweep(...names: string[]): Promise<void> {
  for (const name of names) await runJob(platform.url, name);
}

function files(): string[] {
  const folder = join(platform.dataDir, 'objects', 'files', bucket, 'derived');
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

const versionsOf = (some: Derivative[]) => some.map(({ file }) => file.split('/').at(-1)).sort();

async function upload(key: string, side = 40) {
  return (await storage.put(bucket, key, await (await quarters(side, side)).png().toBuffer())).body;
}

async function statusOf(key: string, query: string): Promise<number> {
  const response = await fetch(`${storage.url}/cdn/${bucket}/${encodeKey(key)}${query}`);
  await response.arrayBuffer();
  return response.status;
}

/** Has images made, and waits until so many of a version are stored. */
async function makeAll(key: string, version: string, queries: string[], stored = queries.length): Promise<void> {
  for (const query of queries) expect(await statusOf(key, query)).toBe(200);
  await eventually(async () => {
    expect(await derivatives({ source: version })).toHaveLength(stored);
    const records = (database: Db) => database.collection('storage_uploads').countDocuments({ state: 'open' });
    expect(await inDatabase(records)).toBe(0);
  });
}

describe('transformed images', () => {
  test('are discarded when nobody has read them for a month, and made again', async () => {
    const { version } = await upload('used.png');
    await makeAll('used.png', version, ['?w=10', '?w=20']);
    const made = files();
    expect(made).toHaveLength(2);
    await change('storage_derivatives', { source: version }, { usedAt: past });
    // What was looked up before is not asked for in the database.
    await eventually(async () => {
      expect(await statusOf('used.png', '?w=10')).toBe(200);
      expect((await derivatives({ source: version })).filter(({ usedAt }) => usedAt > past)).toHaveLength(1);
    });
    await sweep('storage.derivatives');
    const left = await derivatives({ source: version });
    expect(left.map(({ _id }) => _id)).toEqual([expect.stringContaining('10x0')]);
    // Who looked one up before may still open its file.
    expect(files()).toEqual(expect.arrayContaining(made));
    await change('storage_uploads', { orgId: bucket }, { dueAt: past });
    await sweep('storage.uploads');
    expect(files()).toEqual(versionsOf(left));
    await makeAll('used.png', version, ['?w=20'], 2);
  });

  test('of one version are two hundred at most, without those not read for longest', async () => {
    const { version } = await upload('many.png', 400);
    const queries = Array.from({ length: 200 }, (_none, at) => `?w=${at + 1}`);
    await makeAll('many.png', version, queries);
    await makeAll('many.png', version, ['?w=201'], 160);
    const left = await derivatives({ source: version });
    expect(left.map(({ _id }) => _id)).toContain(`${version}:r2_201x0_cover_80_png`);
    expect(left.map(({ _id }) => _id)).not.toContain(`${version}:r2_1x0_cover_80_png`);
  });

  test('of one organization have a maximum of bytes: the least recently used are evicted, or a new one is not stored', async () => {
    const tenant = await createTenant(await databaseUrlOf(platform));
    const theirs = await storageOf(clientOf({ url: platform.url, ...tenant }));
    const { orgId } = tenant;
    await theirs.put(orgId, 'a.png', await (await quarters(40, 40)).png().toBuffer());
    const make = async (width: number) => {
      const response = await fetch(`${theirs.url}/cdn/${orgId}/a.png?w=${width}`);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
      expect(response.status).toBe(200);
      return response.headers.get('last-modified');
    };
    const expectStored = (...widths: number[]) =>
      eventually(async () => {
        const stored = await derivatives({ orgId });
        expect(stored.map(({ _id }) => Number(/_(\d+)x/.exec(_id)?.[1])).sort()).toEqual(widths);
        return stored.reduce((sum, { size }) => sum + size, 0);
      });
    const usage = () =>
      inDatabase((database) => database.collection<Usage>('storage_derivative_usage').findOne({ _id: orgId }));
    const maximum = 100_000_000;

    for (const width of [11, 12]) await make(width);
    const stored = await expectStored(11, 12);
    await eventually(async () => expect((await usage())?.bytes).toBe(stored));
    await change('storage_derivative_usage', { orgId }, { bytes: maximum - 1 });
    await make(13);
    await expectStored(13);
    await change('storage_derivative_usage', { orgId }, { bytes: maximum - 1 });
    // Made again for each request, because it is not stored.
    const firstMade = await make(14);
    await eventually(async () => expect(await make(14)).not.toBe(firstMade));
    await expectStored(13);
    // Until the request before has ended, its image is counted without being stored, or finds room after the recount.
    await eventually(async () => {
      await change('storage_derivative_usage', { orgId }, { bytes: maximum, countedAt: past });
      await sweep('storage.derivative-usage');
      const sizes = (await derivatives({ orgId })).map(({ size }) => size);
      expect((await usage())?.bytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
    });
  });

  test('end with the version that they were made from', async () => {
    const { version } = await upload('replaced.png');
    await makeAll('replaced.png', version, ['?w=10']);
    const next = await upload('replaced.png', 20);
    await makeAll('replaced.png', next.version, ['?w=10']);
    await change(
      'storage_objects',
      { orgId: bucket, formerSince: { $ne: null } },
      { formerSince: past, 'former.0.endedAt': past },
    );
    await sweep('storage.cleanup');
    expect(await derivatives({ source: version })).toEqual([]);
    const left = await derivatives({ source: next.version });
    expect(left).toHaveLength(1);
    expect(files()).toEqual(expect.arrayContaining(versionsOf(left)));
  });

  test('are made again when the store has lost their file', async () => {
    const { version } = await upload('lost.png');
    await makeAll('lost.png', version, ['?w=10']);
    const [{ file }] = (await derivatives({ source: version })) as [Derivative];
    rmSync(join(platform.dataDir, 'objects', 'files', file));
    expect(await statusOf('lost.png', '?w=10')).toBe(503);
    expect(await statusOf('lost.png', '?w=10')).toBe(200);
  });

  test('leave no file after a crash between the file and the document', async () => {
    const { version: source } = await upload('last.png');
    await makeAll('last.png', source, ['?w=10']);
    await inDatabase(async (database) => {
      // As after a crash between the file and its document: the record of the upload is all that there is.
      const [one] = await database.collection<Derivative>('storage_derivatives').find({ orgId: bucket }).toArray();
      const { _id, orgId, file } = one!;
      await database.collection<Named>('storage_derivatives').deleteOne({ _id });
      const version = file.split('/').at(-1)!;
      const record = { _id: version, orgId, version, file, state: 'open', signedUntil: null, dueAt: past };
      await database.collection<Named>('storage_uploads').insertOne(record);
    });
    await change('storage_uploads', { orgId: bucket }, { dueAt: past });
    expect(files()).not.toEqual(versionsOf(await derivatives({ orgId: bucket })));
    await sweep('storage.uploads');
    expect(files()).toEqual(versionsOf(await derivatives({ orgId: bucket })));
  });

  test('end with their organization, like its objects and buckets', async () => {
    const databaseUrl = await databaseUrlOf(platform);
    const tenant = await createTenant(databaseUrl);
    const owner = sessionClientOf(platform.url, (await createUser(databaseUrl, { orgId: tenant.orgId })).sessionToken);
    const theirs = await storageOf(clientOf({ url: platform.url, ...tenant }));
    await theirs.put(tenant.orgId, 'a.png', await (await quarters(40, 40)).png().toBuffer());
    const image = `${theirs.url}/cdn/${tenant.orgId}/a.png?w=10`;
    expect((await fetch(image)).status).toBe(200);
    const folder = join(platform.dataDir, 'objects', 'files', tenant.orgId);
    await eventually(() => expect(existsSync(join(folder, 'derived'))).toBe(true));
    const slug = tenant.orgId.replace('_', '-');
    await owner.call('identity.organizations.delete', { path: { slug }, query: { confirm: slug } });
    await eventually(async () => {
      expect(existsSync(folder)).toBe(false);
      const left = await inDatabase((database) =>
        Promise.all(
          ['derivatives', 'derivative_usage', 'objects', 'uploads', 'buckets'].map((name) =>
            database.collection(`storage_${name}`).countDocuments({ orgId: tenant.orgId }),
          ),
        ),
      );
      expect(left).toEqual([0, 0, 0, 0, 0]);
    }, 60_000);
    expect((await fetch(image)).status).toBe(404);
  });
});
