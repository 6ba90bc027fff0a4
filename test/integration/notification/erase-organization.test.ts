import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { newId } from '../../../lib/data/ids.ts';
import { ConnectionModel } from '../../../models/notification/connection.ts';
import { PaceModel } from '../../../models/notification/connection-pace.ts';
import { NotificationModel } from '../../../models/notification/notification.ts';
import { TemplateModel, TemplateVersionModel } from '../../../models/notification/template.ts';
import { eraseOrganization } from '../../../services/notification/cleanup.ts';

const collections = [ConnectionModel, PaceModel, NotificationModel, TemplateModel, TemplateVersionModel];
let database: EmbeddedMongo;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notification-'));
  database = await startEmbeddedMongo({ dir: join(folder, 'mongo') });
  await mongoose.connect(database.url, { dbName: 'platform', autoIndex: false, autoCreate: false });
}, 60_000);
afterAll(async () => {
  await mongoose.disconnect();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function add(orgId: string, notifications: number): Promise<void> {
  for (const model of collections) {
    const count = model === NotificationModel ? notifications : 1;
    const documents = Array.from({ length: count }, () => ({ _id: newId('req'), orgId }));
    await mongoose.connection.collection(model.collection.name).insertMany(documents as never);
  }
}

const countsOf = (orgId: string) =>
  Promise.all(
    collections.map((model) => mongoose.connection.collection(model.collection.name).countDocuments({ orgId })),
  );

test('the erasure of an organization removes all it has, in several calls when it is much, and nothing of another', async () => {
  const [orgId, other] = ['org_00000000000000000000000001', 'org_00000000000000000000000002'];
  await add(orgId, 5001);
  await add(other, 2);
  const ctx = { params: { body: { orgId } }, meta: {} } as never;
  const erase = () => eraseOrganization.handler?.call({} as never, ctx);
  expect(await erase()).toEqual({ isComplete: false });
  expect(await erase()).toEqual({ isComplete: true });
  expect(await erase()).toEqual({ isComplete: true });
  expect(await countsOf(orgId)).toEqual([0, 0, 0, 0, 0]);
  expect(await countsOf(other)).toEqual([1, 1, 2, 1, 1]);
});

test('removes the very many paces of former connections in several calls', async () => {
  const orgId = 'org_00000000000000000000000003';
  const paces = Array.from({ length: 5600 }, () => ({ _id: newId('req'), orgId }));
  await mongoose.connection.collection(PaceModel.collection.name).insertMany(paces as never);
  const ctx = { params: { body: { orgId } }, meta: {} } as never;
  const erase = () => eraseOrganization.handler?.call({} as never, ctx);
  expect(await erase()).toEqual({ isComplete: false });
  expect(await erase()).toEqual({ isComplete: true });
  expect(await countsOf(orgId)).toEqual([0, 0, 0, 0, 0]);
});
