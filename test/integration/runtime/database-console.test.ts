import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { typeCommand } from '../../support/console-command.ts';

const dir = mkdtempSync(join(tmpdir(), 'database-console-'));
const broker = new ServiceBroker({ logger: false, namespace: 'database-console' });
let database: EmbeddedMongo;

beforeAll(async () => {
  database = await startEmbeddedMongo({ dir });
  await mongoose.connect(database.url, { dbName: 'console' });
});

afterAll(async () => {
  await mongoose.disconnect();
  await database.close();
  rmSync(dir, { recursive: true });
});

test('db:ops lists what takes long, and db:kill ends it', async () => {
  expect(await typeCommand(broker, 'db:ops', {})).toContain('nothing that takes long');
  const things = mongoose.connection.collection('things');
  await things.insertMany(Array.from({ length: 30_000 }, (_, n) => ({ n, text: `${'ab'.repeat(60)} ${n}` })));
  // Until it is killed: a single scan may end before the command is typed.
  const scans = (async () => {
    for (;;) await things.find({ text: /(a|b)+none$/ }).toArray();
  })();
  let isKilled = false;
  const answers: string[] = [];
  scans.catch(() => {
    isKilled = true;
  });
  while (!isKilled) {
    const listed = await typeCommand(broker, 'db:ops', {});
    const [, operation] = /^(\d+) {2}\d+ s {2}query {2}console\.things {2}find/m.exec(listed) ?? [];
    if (operation) answers.push(await typeCommand(broker, 'db:kill', { operation }));
  }
  expect(answers.join('')).toContain('attempting to kill');
  await expect(scans).rejects.toMatchObject({ code: 11601 });
});

test('db:kill refuses what is no number', async () => {
  expect(await typeCommand(broker, 'db:kill', { operation: 'all' })).toContain('is not a number');
});
