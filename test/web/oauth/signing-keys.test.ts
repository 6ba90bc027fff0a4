import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { setClock } from '../../../lib/data/clock.ts';

// The settings are read when they are loaded.
process.env.SECRET_KEY = 'the secret key of the tests of signing keys';
const keys = await import('../../../services/identity/oauth/signing-keys.ts');
const { SigningKeyModel } = await import('../../../models/identity/signing-key.ts');

const dir = mkdtempSync(join(tmpdir(), 'database-'));
let server: EmbeddedMongo;
let putBack = () => {};
beforeAll(async () => {
  server = await startEmbeddedMongo({ dir });
  await mongoose.connect(server.url, { dbName: 'platform' });
  await SigningKeyModel.createIndexes();
});
afterEach(() => putBack());
afterAll(async () => {
  await mongoose.disconnect();
  await server.close();
  rmSync(dir, { recursive: true });
});

const kids = (list: { _id: string }[]) => list.map(({ _id }) => _id);
const days = (count: number) => new Date(Date.now() + count * 24 * 3600 * 1000);

describe('the signing keys', () => {
  test('begin with one, however many nodes start at once', async () => {
    const lists = await Promise.all(Array.from({ length: 6 }, () => keys.readSigningKeys()));
    expect(new Set(lists.flatMap(kids)).size).toBe(1);
    expect(await SigningKeyModel.countDocuments()).toBe(1);
  });

  test('are rotated once by any number that do so at once', async () => {
    const rotated = await Promise.all(Array.from({ length: 4 }, () => keys.rotateSigningKeys(60)));
    expect(new Set(kids(rotated)).size).toBe(1);
    expect(await SigningKeyModel.countDocuments()).toBe(2);
  });

  test('are rotated by the schedule when the newest is 90 days old, and not before', async () => {
    await keys.rotateOldSigningKeys();
    expect(await SigningKeyModel.countDocuments()).toBe(2);
    const later = days(90.1);
    putBack = setClock(() => later);
    await keys.rotateOldSigningKeys();
    await keys.rotateOldSigningKeys();
    expect(await SigningKeyModel.countDocuments()).toBe(3);
  });

  test('are swept when the last token they signed has expired', async () => {
    const later = days(90.2);
    putBack = setClock(() => later);
    const published = kids(await keys.readSigningKeys());
    expect(published).toHaveLength(1);
    await keys.sweepSigningKeys();
    expect(kids(await SigningKeyModel.find().lean())).toEqual(published);
  });
});
