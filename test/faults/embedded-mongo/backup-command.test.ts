import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { readBackups } from '../../../lib/data/backup-log.ts';
import { temporaryFolder } from '../../integration/embedded-mongo/support/folder.ts';
import { withServer } from '../../integration/embedded-mongo/support/server.ts';
import { clientOf } from '../../support/client.ts';
import { startPlatform } from '../../support/platform.ts';
import { storageOf } from '../../support/storage-client.ts';

const root = join(import.meta.dirname, '..', '..', '..');

type Outcome = { code: number; output: string; errors: string };

/** What `npm run backup -- …` does. */
function backup(commandLine: string[], env: Record<string, string>): Promise<Outcome> {
  const node = join(root, 'node_modules', '.bin', 'node');
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { cwd: root, env: { PATH, NODE_COMPILE_CACHE, ...env } };
  return new Promise((resolve) => {
    execFile(node, ['runtime/backup.ts', ...commandLine], options, (error, output, errors) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output, errors });
    });
  });
}

describe('npm run backup', () => {
  test('saves the database while it is served and restores it elsewhere', async () => {
    const [from, to] = [temporaryFolder(), temporaryFolder()];
    const file = join(temporaryFolder(), 'saved');
    await withServer(join(from, 'mongo'), async ({ items }) => {
      await items.insertMany([{ n: 1 }, { n: 2 }]);
      expect(await backup([file], { DATA_DIR: from })).toMatchObject({
        code: 0,
        output: expect.stringContaining(file),
        errors: '',
      });
    });
    expect(await backup(['--restore', file], { DATA_DIR: to })).toMatchObject({ code: 0, errors: '' });
    expect(await withServer(join(to, 'mongo'), ({ items }) => items.countDocuments())).toBe(2);
  });

  test('saves objects with it, and restores both', async () => {
    const [from, to] = [temporaryFolder(), temporaryFolder()];
    const file = join(temporaryFolder(), 'saved');
    let platform = await startPlatform({ dataDir: from });
    const { apiKey, orgId } = platform.firstRun;
    const before = await storageOf(clientOf({ url: platform.url, apiKey, orgId }));
    await before.put(orgId, 'a/b.txt', 'kept');
    expect(await backup([file], { DATA_DIR: from })).toMatchObject({
      code: 0,
      output: expect.stringContaining(`1 files of objects were saved to ${file}.objects`),
    });
    expect(await readBackups(from)).toEqual([
      { savedAt: expect.any(String), file, bytes: statSync(file).size, objects: 1 },
    ]);
    await before.remove(orgId, 'a/b.txt');
    cpSync(join(from, 'secret-key'), join(to, 'secret-key'));
    await platform.stop();
    expect(await backup(['--restore', file], { DATA_DIR: to })).toMatchObject({ code: 0, errors: '' });
    expect(await backup([file], { DATA_DIR: to })).toMatchObject({ code: 1 });
    platform = await startPlatform({ dataDir: to });
    const after = await storageOf(clientOf({ url: platform.url, apiKey, orgId }));
    expect((await after.getPublic(orgId, 'a/b.txt')).text).toBe('kept');
    await platform.stop();
  });

  test('is repeated after an interrupted restore, before which the platform does not start', async () => {
    const [from, to] = [temporaryFolder(), temporaryFolder()];
    const file = join(temporaryFolder(), 'saved');
    await withServer(join(from, 'mongo'), ({ items }) => items.insertOne({ n: 1 }));
    mkdirSync(join(from, 'objects', 'files', 'a'), { recursive: true });
    for (const name of ['one', 'two']) writeFileSync(join(from, 'objects', 'files', 'a', name), name);
    expect(await backup([file], { DATA_DIR: from })).toMatchObject({ code: 0 });
    // A file where the objects go: the restore ends when the database is copied.
    writeFileSync(join(to, 'objects'), 'in the way');
    expect(await backup(['--restore', file], { DATA_DIR: to })).toMatchObject({ code: 1 });
    await expect(startEmbeddedMongo({ dir: join(to, 'mongo') })).rejects.toMatchObject({ code: 'RESTORE_UNFINISHED' });
    rmSync(join(to, 'objects'));
    // Killed later, it leaves objects as well.
    mkdirSync(join(to, 'objects', 'files', 'a'), { recursive: true });
    writeFileSync(join(to, 'objects', 'files', 'a', 'one'), 'of another backup');
    expect(await backup(['--restore', file], { DATA_DIR: to })).toMatchObject({ code: 0, errors: '' });
    expect(await withServer(join(to, 'mongo'), ({ items }) => items.countDocuments())).toBe(1);
    for (const name of ['one', 'two']) {
      expect(readFileSync(join(to, 'objects', 'files', 'a', name), 'utf8')).toBe(name);
    }
    expect(await backup(['--restore', file], { DATA_DIR: to })).toMatchObject({ code: 1 });
  });

  test('refuses to restore while the platform runs', async () => {
    const dataDir = temporaryFolder();
    const file = join(temporaryFolder(), 'saved');
    await withServer(join(dataDir, 'mongo'), async ({ server }) => {
      await server.backup(file);
      const outcome = await backup(['--restore', file], { DATA_DIR: dataDir });
      expect(outcome).toMatchObject({
        code: 1,
        errors: expect.stringContaining('is in use by another running server'),
      });
    });
  });

  const cases: [string, (file: string) => string[], Record<string, string>, string][] = [
    ['without a file', () => [], {}, 'Name one file'],
    ['with two files', (file) => [file, file], {}, 'Name one file'],
    ['with an option it does not know', (file) => ['--force', file], {}, '--force'],
    ['of a folder without a database', (file) => [`${file}.new`], {}, 'There is no database in'],
    ['from a file that is no backup', (file) => ['--restore', file], {}, 'is no backup'],
    ['from a file that is missing', (file) => ['--restore', `${file}.new`], {}, 'There is no backup file'],
    ['of another database', (file) => [file], { MONGO_URL: 'mongodb://localhost:1' }, 'MONGO_URL is set'],
    ['with a wrong setting', (file) => [file], { PORT: 'abc' }, 'PORT'],
  ];

  test.each(cases)('%s says what is wrong in a sentence', async (_, commandLine, env, sentence) => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, 'plain text');
    const outcome = await backup(commandLine(file), { DATA_DIR: temporaryFolder(), ...env });
    expect(outcome).toMatchObject({ code: 1, output: '', errors: expect.stringContaining(sentence) });
    expect(outcome.errors).not.toContain('    at ');
  });

  test('explains itself', async () => {
    expect(await backup(['--help'], {})).toMatchObject({ code: 0, output: expect.stringContaining('--restore FILE') });
  });
});
