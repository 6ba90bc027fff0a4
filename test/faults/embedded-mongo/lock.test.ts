import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findEmbeddedMongo, restoreEmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { temporaryFolder } from '../../integration/embedded-mongo/support/folder.ts';
import { runProgram } from '../../integration/embedded-mongo/support/process.ts';
import { withClient, withServer } from '../../integration/embedded-mongo/support/server.ts';

const inUse = (dir: string, pid: number) => ({
  code: 'FOLDER_IN_USE',
  message: expect.stringMatching(new RegExp(`${dir} is in use .* the process ${pid}\\.`)),
});

describe('a folder with a running server', () => {
  test('refuses a second one in the same process and says who holds it', async () => {
    const dir = temporaryFolder();
    await withServer(dir, async ({ items }) => {
      await expect(startEmbeddedMongo({ dir })).rejects.toMatchObject(inUse(dir, process.pid));
      await items.insertOne({ still: 'served' });
    });
  });

  test('refuses a second one from another process and names the first', async () => {
    const dir = temporaryFolder();
    const program = runProgram('serve.ts', [dir]);
    await program.printed(() => true);
    await expect(startEmbeddedMongo({ dir })).rejects.toMatchObject(inUse(dir, program.pid));
    await program.kill('SIGKILL');
  });

  test('refuses a restore', async () => {
    const dir = temporaryFolder();
    const file = join(temporaryFolder(), 'backup');
    await withServer(dir, async ({ server }) => {
      await server.backup(file);
      await expect(restoreEmbeddedMongo({ dir, file })).rejects.toMatchObject(inUse(dir, process.pid));
    });
  });

  test('is found by its address from another process', async () => {
    const dir = temporaryFolder();
    const program = runProgram('serve.ts', [dir]);
    const url = await program.printed(() => true);
    expect(await findEmbeddedMongo(dir)).toBe(url);
    const answer = await withClient(url, (client) => client.db('admin').command({ ping: 1 }));
    expect(answer).toEqual({ ok: 1 });
    await program.kill('SIGKILL');
  });
});

describe('a folder whose server was killed', () => {
  test('is taken over', async () => {
    const dir = temporaryFolder();
    const program = runProgram('serve.ts', [dir]);
    const url = await program.printed(() => true);
    await withClient(url, (client) => client.db('test').collection('items').insertOne({ kept: true }));
    await program.kill('SIGKILL');

    expect(existsSync(join(dir, 'address.json'))).toBe(true);
    expect(await findEmbeddedMongo(dir)).toBeNull();
    expect(await withServer(dir, ({ items }) => items.countDocuments({ kept: true }))).toBe(1);
  });
});

test('a folder whose server ended has no address and can be served again', async () => {
  const dir = temporaryFolder();
  await withServer(dir, ({ items }) => items.insertOne({}));
  expect(await findEmbeddedMongo(dir)).toBeNull();
  expect(await withServer(dir, ({ items }) => items.countDocuments())).toBe(1);
});

test('a folder that does not exist has no server', async () => {
  expect(await findEmbeddedMongo(join(temporaryFolder(), 'missing'))).toBeNull();
});
