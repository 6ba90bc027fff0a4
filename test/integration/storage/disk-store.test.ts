import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { saveWithObjects } from '../../../runtime/backup-objects.ts';
import { createDiskStore } from '../../../services/storage/store/disk-store.ts';
import { testBytes } from '../../support/test-bytes.ts';
import { failingAfter, inChunks, newName, readAll } from './files.ts';
import { describeStore } from './store-suite.ts';

const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'objects-'));
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describeStore('a disk', async () => createDiskStore(newFolder()));

describe('a folder of objects', () => {
  test('takes no file that would leave less than the reserve of its disk, whether its size is known or not', async () => {
    const folder = newFolder();
    const { bavail, bsize } = statfsSync(folder);
    const store = createDiskStore(folder, bavail * bsize * 2);
    for (const size of [null, 10]) {
      const stored = store.put(newName(), inChunks(testBytes(1, 10)), { size });
      await expect(stored).rejects.toMatchObject({ type: 'STORE_FULL' });
    }
    expect(readdirSync(folder).filter((name) => readdirSync(join(folder, name)).length > 0)).toEqual([]);
  });

  test('has nothing left over after uploads that failed, and no folder after the last file of one', async () => {
    const folder = newFolder();
    const store = createDiskStore(folder);
    const name = newName();
    await store.put(name, inChunks(testBytes(1, 10)));
    await expect(store.put(newName(), failingAfter(testBytes(1, 10)))).rejects.toThrow();
    expect(readdirSync(join(folder, 'unfinished'))).toEqual([]);
    await store.remove([name]);
    expect(readdirSync(join(folder, 'files'))).toEqual([]);
  });

  test('loses what an upload left that ended with its process, and not what was written within an hour', async () => {
    const folder = newFolder();
    const store = createDiskStore(folder);
    await store.put(newName(), inChunks(testBytes(1, 10)));
    const [dead, running] = ['dead', 'running'].map((name) => join(folder, 'unfinished', name));
    writeFileSync(dead!, 'x');
    writeFileSync(running!, 'x');
    const writtenAt = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000);
    utimesSync(dead!, writtenAt(61), writtenAt(61));
    utimesSync(running!, writtenAt(59), writtenAt(59));
    await store.removeUnfinished(new Date());
    expect(readdirSync(join(folder, 'unfinished'))).toEqual(['running']);
  });

  test('keeps what is removed while a backup saves the database, for as long as it takes', async () => {
    const dataDir = newFolder();
    const folder = join(dataDir, 'objects');
    mkdirSync(folder);
    const store = createDiskStore(folder);
    const names = [newName(), newName(), newName()];
    for (const name of names.slice(0, 2)) await store.put(name, inChunks(testBytes(3, 10)));
    const file = join(newFolder(), 'saved');
    const saved = await saveWithObjects(dataDir, file, async () => {
      await store.put(names[2]!, inChunks(testBytes(3, 10)));
      await store.remove(names.slice(1));
    });
    expect(saved).toBe(3);
    for (const name of names) expect(readFileSync(join(`${file}.objects`, name)).equals(testBytes(3, 10))).toBe(true);
    expect(readdirSync(folder)).toEqual(['files', 'unfinished']);
    expect((await store.list('', '')).map(({ name }) => name)).toEqual([names[0]]);
  });

  test('loses what a killed backup kept', async () => {
    const folder = newFolder();
    const store = createDiskStore(folder);
    for (const backup of ['dead', 'running']) mkdirSync(join(folder, 'held', backup), { recursive: true });
    const name = newName();
    await store.put(name, inChunks(testBytes(1, 10)));
    await store.remove([name]);
    expect(readFileSync(join(folder, 'held', 'running', name)).equals(testBytes(1, 10))).toBe(true);
    utimesSync(join(folder, 'held', 'dead'), new Date(0), new Date(0));
    await store.removeUnfinished(new Date(Date.now() - 60_000));
    expect(readdirSync(join(folder, 'held'))).toEqual(['running']);
  });

  test('is the same after a restart', async () => {
    const folder = newFolder();
    const name = newName();
    await createDiskStore(folder).put(name, inChunks(testBytes(7, 1000)));
    expect((await readAll(createDiskStore(folder), name))!.equals(testBytes(7, 1000))).toBe(true);
  });

  test('serves and writes nothing through a symbolic link', async () => {
    const [folder, elsewhere] = [newFolder(), newFolder()];
    const store = createDiskStore(folder);
    await store.put('org_1/bkt_1/obj_1/ver_1', inChunks(testBytes(1, 10)));
    writeFileSync(join(elsewhere, 'ver_1'), 'secret');
    symlinkSync(join(elsewhere, 'ver_1'), join(folder, 'files/org_1/bkt_1/obj_1/ver_2'));
    symlinkSync(elsewhere, join(folder, 'files/org_1/bkt_1/obj_2'));
    for (const name of ['org_1/bkt_1/obj_1/ver_2', 'org_1/bkt_1/obj_2/ver_1']) {
      expect(await readAll(store, name)).toBeNull();
    }
    await expect(store.put('org_1/bkt_1/obj_2/ver_9', inChunks(testBytes(1, 10)))).rejects.toThrow('symbolic link');
    expect(readdirSync(elsewhere)).toEqual(['ver_1']);
    expect((await store.list('org_1/', '')).map(({ name }) => name)).toEqual(['org_1/bkt_1/obj_1/ver_1']);
  });

  test('that is removed and used at the same time loses no file', async () => {
    const store = createDiskStore(newFolder());
    const names = Array.from({ length: 200 }, (_one, place) => `org_1/bkt_1/obj_1/ver_${place}`);
    await Promise.all(
      names.map(async (name, place) => {
        await store.put(name, inChunks(testBytes(place, 100)));
        if (place % 2 === 0) await store.remove([name]);
      }),
    );
    const left = (await store.list('org_1/', '')).map(({ name }) => name);
    expect(left).toEqual(names.filter((_name, place) => place % 2 === 1).sort());
  });

  test('on a full disk refuses a file, keeps nothing of it, and takes the next that has room', () => {
    const folder = newFolder();
    const node = join(import.meta.dirname, '../../../node_modules/.bin/node');
    const program = join(import.meta.dirname, 'fill-store.ts');
    const limited = 'ulimit -S -f 2048 && exec "$@"';
    const printed = execFileSync('bash', ['-c', limited, 'bash', node, program, folder], { encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual({ outcomes: ['stored', 'STORE_FULL', 'stored'], read: 100_000 });
    expect(readdirSync(join(folder, 'unfinished'))).toEqual([]);
    expect(readdirSync(join(folder, 'files/o')).sort()).toEqual(['next', 'small']);
  });
});
