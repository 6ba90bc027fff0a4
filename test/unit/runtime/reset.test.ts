import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { lockFolder } from '../../../embedded/mongo/lock.ts';
import { dataFileName } from '../../../embedded/mongo/store/schema.ts';

const root = join(import.meta.dirname, '..', '..', '..');
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'reset-'));
  for (const folder of ['mongo', 'objects/files']) mkdirSync(join(dir, folder), { recursive: true });
  for (const file of [`mongo/${dataFileName}`, 'objects/files/one', 'secret-key', 'first-run.json', 'console.sock']) {
    writeFileSync(join(dir, file), 'content');
  }
});
afterEach(() => rmSync(dir, { recursive: true }));

/** Runs `npm run reset -- …` without a terminal. */
function reset(commandLine: string[], env: Record<string, string> = {}): Promise<{ code: number; text: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { cwd: root, env: { PATH, NODE_COMPILE_CACHE, DATA_DIR: dir, ...env } };
  const node = join(root, 'node_modules', '.bin', 'node');
  return new Promise((resolve) => {
    const child = execFile(node, ['runtime/reset.ts', ...commandLine], options, (error, output, errors) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: output + errors });
    });
    child.stdin?.end();
  });
}

const isComplete = (): boolean =>
  [`mongo/${dataFileName}`, 'objects/files/one', 'secret-key', 'first-run.json'].every((file) =>
    existsSync(join(dir, file)),
  );

describe('npm run reset', () => {
  test.each([
    ['MONGO_URL', { MONGO_URL: 'mongodb://localhost:27017/platform' }],
    ['S3_URL', { S3_URL: 'http://127.0.0.1:9000', S3_ACCESS_KEY: 'key', S3_SECRET_KEY: 'secret', S3_BUCKET: 'one' }],
    ['NATS_URL', { NATS_URL: 'nats://localhost:4222' }],
  ])('refuses with %s, which places data elsewhere', async (name, env) => {
    expect(await reset(['--yes'], env)).toMatchObject({ code: 1, text: expect.stringContaining(name) });
    expect(isComplete()).toBe(true);
  });

  test('refuses while a platform has the database open', async () => {
    const lock = lockFolder(join(dir, 'mongo'));
    try {
      expect(await reset(['--yes'])).toMatchObject({ code: 1, text: expect.stringContaining('in use') });
    } finally {
      lock.release();
    }
    expect(isComplete()).toBe(true);
  });

  test('refuses without a confirmation', async () => {
    expect(await reset([])).toMatchObject({ code: 1, text: expect.stringContaining('--yes') });
    expect(isComplete()).toBe(true);
  });

  test('refuses a folder with files of others, and one without a database', async () => {
    writeFileSync(join(dir, 'thesis.txt'), 'content');
    expect(await reset(['--yes'])).toMatchObject({ code: 1, text: expect.stringContaining('thesis.txt') });
    expect(isComplete()).toBe(true);
    rmSync(join(dir, 'mongo'), { recursive: true });
    expect(await reset(['--yes'])).toMatchObject({ code: 1, text: expect.stringContaining('no database') });
    expect(existsSync(join(dir, 'secret-key'))).toBe(true);
  });

  test('empties the folder, and says what the next start does', async () => {
    expect(await reset(['--yes'])).toMatchObject({ code: 0, text: expect.stringContaining('next start') });
    expect(readdirSync(dir)).toEqual([]);
  });
});
