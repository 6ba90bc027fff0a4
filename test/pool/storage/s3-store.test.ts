import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { ObjectStore } from '../../../services/storage/store/object-store.ts';
import { createPartBuffers, createS3Store, type S3Options } from '../../../services/storage/store/s3-store.ts';
import { failingAfter, inChunks, newName, readAll } from '../../integration/storage/files.ts';
import { describeStore } from '../../integration/storage/store-suite.ts';
import { serverVariable } from '../../support/pool.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { testBytes } from '../../support/test-bytes.ts';
import { eventually } from '../../support/until.ts';

const mebibyte = 1024 * 1024;
const partBytes = 8 * mebibyte;

const s3Variables = ['TEST_S3_URL', 'TEST_S3_ACCESS_KEY', 'TEST_S3_SECRET_KEY'] as const;

function optionsFor(changes: Partial<S3Options> = {}): S3Options {
  const [url, accessKey, secretKey] = s3Variables.map(serverVariable);
  const bucket = `test-${newId('bkt').replace('_', '-')}`;
  return {
    url: url!,
    accessKey: accessKey!,
    secretKey: secretKey!,
    bucket,
    region: 'us-east-1',
    buffers: createPartBuffers(partBytes, 4),
    ...changes,
  };
}

describeStore('S3', () => createS3Store(optionsFor()));

describe('an object store on S3', () => {
  test('is used again by the next process, and refuses to begin with a wrong secret', async () => {
    const options = optionsFor();
    const [first, second] = [await createS3Store(options), await createS3Store(options)];
    const name = newName();
    await first.put(name, inChunks(testBytes(1, 1000)));
    expect(await readAll(second, name)).toHaveLength(1000);
    await expect(createS3Store({ ...options, secretKey: 'wrong' })).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    for (const store of [first, second]) store.close();
  });

  test('has uploads wait for memory, and none of them for ever', async () => {
    const store = await createS3Store(optionsFor({ buffers: createPartBuffers(partBytes, 2) }));
    const files = Array.from({ length: 8 }, (_one, seed) => ({
      name: newName(),
      bytes: testBytes(seed, 9 * mebibyte),
    }));
    await Promise.all(files.map(({ name, bytes }) => store.put(name, inChunks(bytes))));
    for (const { name, bytes } of files) expect((await readAll(store, name))!.equals(bytes)).toBe(true);
    store.close();
  });

  test('gives the memory of a failed upload to the next', async () => {
    const store = await createS3Store(optionsFor({ buffers: createPartBuffers(partBytes, 1) }));
    await expect(store.put(newName(), failingAfter(testBytes(1, 9 * mebibyte)))).rejects.toThrow('The client left.');
    const name = newName();
    await store.put(name, inChunks(testBytes(2, mebibyte)));
    expect(await readAll(store, name)).toHaveLength(mebibyte);
    store.close();
  });

  test('refuses a source that is longer than it said', async () => {
    const store = await createS3Store(optionsFor());
    const name = newName();
    await expect(store.put(name, inChunks(testBytes(1, mebibyte)), { size: 1000 })).rejects.toThrow(RangeError);
    expect(await readAll(store, name)).toBeNull();
    store.close();
  });
});

describe('an object store on S3 that is away', () => {
  let proxy: TcpProxy;
  let store: ObjectStore;
  beforeAll(async () => {
    const options = optionsFor({ idleMilliseconds: 500 });
    proxy = await startTcpProxy(options.url);
    store = await createS3Store({ ...options, url: `http://127.0.0.1:${proxy.port}` });
  });
  afterAll(async () => {
    store.close();
    await proxy.close();
  });

  test.each(['cut', 'freeze'] as const)(
    'is unavailable while the way there is %s, and there again afterwards',
    async (how) => {
      const name = newName();
      await store.put(name, inChunks(testBytes(1, 1000)));
      await proxy[how]();
      const unavailable = { type: 'UNAVAILABLE' };
      await expect(store.put(newName(), inChunks(testBytes(1, 1000)))).rejects.toMatchObject(unavailable);
      await expect(store.put(newName(), inChunks(testBytes(1, 9 * mebibyte)))).rejects.toMatchObject(unavailable);
      await expect(readAll(store, name)).rejects.toMatchObject(unavailable);
      // What was on its way may still arrive, so it is not the file that is read afterwards.
      await expect(store.remove([newName()])).rejects.toMatchObject(unavailable);
      await expect(store.list('', '')).rejects.toMatchObject(unavailable);
      await proxy.mend();
      expect(await eventually(() => readAll(store, name))).toHaveLength(1000);
      await eventually(() => store.put(newName(), inChunks(testBytes(1, 9 * mebibyte))));
    },
  );

  test('keeps nothing of an upload that it left in the middle, once the unfinished are removed', async () => {
    const name = newName();
    const source = (async function* () {
      yield testBytes(1, 20 * mebibyte);
      await proxy.cut();
      yield testBytes(2, 20 * mebibyte);
    })();
    await expect(store.put(name, source)).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    await proxy.mend();
    expect(await eventually(() => readAll(store, name))).toBeNull();
    await store.removeUnfinished(new Date(Date.now() + 49 * 60 * 60_000));
    await store.removeUnfinished(new Date(Date.now() + 49 * 60 * 60_000));
    expect(await store.list(name, '')).toEqual([]);
  });
});
