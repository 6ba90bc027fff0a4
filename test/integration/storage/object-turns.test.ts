import { afterAll, beforeAll, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { write } from '../../../services/storage/objects/change-object.ts';
import { release } from '../../../services/storage/objects/replaced-versions.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';

let database: OwnDatabase;
beforeAll(async () => {
  database = await connectOwnDatabase(ObjectModel);
});
afterAll(() => database.close());

/** The maximum number of updates that the database was doing at the same time. */
function watchUpdates(): { most: () => number } {
  const running = new Set<number>();
  let most = 0;
  const client = mongoose.connection.getClient();
  client.on('commandStarted', ({ commandName, requestId }) => {
    if (commandName === 'update') running.add(requestId);
    most = Math.max(most, running.size);
  });
  client.on('commandSucceeded', ({ requestId }) => void running.delete(requestId));
  return { most: () => most };
}

const at = new Date();
const version = (name: string) => ({ version: name, file: null, size: 10, charges: [] });
const object: ObjectDocument = {
  ...version('ver_2'),
  _id: 'obj_1',
  orgId: 'org_a',
  revision: 1,
  bucketId: 'bkt_1',
  key: 'a.txt',
  sha256: '0',
  mimeType: 'text/plain',
  isPublic: true,
  metadata: {},
  uploadedAt: at,
  updatedAt: at,
  former: [{ ...version('ver_1'), endedAt: at, isReleased: false }],
  formerSince: at,
  versions: ['ver_1', 'ver_2'],
};

test('updates of one object are not in flight at the same time, those that record a release neither', async () => {
  await ObjectModel.create(object);
  const updates = watchUpdates();
  const ctx = { broker: { call: async () => undefined } } as never;
  const touch = () => write(object, { ...object, metadata: { touched: 'yes' } });
  await Promise.all([release(ctx, object), ...Array.from({ length: 50 }, touch)]);
  expect(updates.most()).toBe(1);
  const stored = await ObjectModel.findOne({ orgId: object.orgId, _id: object._id }).lean();
  expect(stored).toMatchObject({ metadata: { touched: 'yes' } });
});
