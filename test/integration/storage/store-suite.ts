import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../../../lib/data/ids.ts';
import type { ObjectStore } from '../../../services/storage/store/object-store.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { testBytes } from '../../support/test-bytes.ts';
import { failingAfter, inChunks, listAll, never, newName, readAll } from './files.ts';

const mebibyte = 1024 * 1024;
const sizes = [0, 1, 65_536, 512 * 1024, 8 * mebibyte - 1, 8 * mebibyte, 8 * mebibyte + 1, 17 * mebibyte];
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What every object store does, whatever it keeps files in. */
export function describeStore(kind: string, open: () => Promise<ObjectStore>): void {
  describe(`an object store on ${kind}`, () => {
    let store: ObjectStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    test.each(sizes.flatMap((size) => [[size, true] as const, [size, false] as const]))(
      'gives back %i bytes (size known before: %s)',
      async (size, isKnown) => {
        const [name, bytes] = [newName(), testBytes(size, size)];
        const stored = await store.put(name, inChunks(bytes), { size: isKnown ? size : null });
        expect(stored).toEqual({ size, sha256: sha256(bytes) });
        expect((await readAll(store, name))!.equals(bytes)).toBe(true);
        const [listed, ...others] = await store.list(name, '');
        expect({ ...listed, modifiedAt: null, others }).toEqual({ name, size, modifiedAt: null, others: [] });
        expect(Math.abs(Date.now() - listed!.modifiedAt.getTime())).toBeLessThan(60_000);
      },
    );

    test.each([
      ['large', 65_536, 9 * mebibyte],
      ['of a byte each', 1, 5000],
    ])('stores chunks that are %s, and has no use for them afterwards', async (_kind, chunkBytes, size) => {
      const [name, bytes] = [newName(), testBytes(6, size)];
      const chunks = Array.from({ length: size / chunkBytes }, (_none, at) =>
        Uint8Array.prototype.slice.call(bytes, at * chunkBytes, (at + 1) * chunkBytes),
      );
      const released: Uint8Array[] = [];
      const release = (chunk: Uint8Array) => {
        released.push(chunk);
        chunk.fill(0);
      };
      await store.put(name, Readable.from(chunks), { size, release });
      expect(released).toHaveLength(chunks.length);
      expect((await readAll(store, name))!.equals(bytes)).toBe(true);
    });

    test('gives back any range', async () => {
      const [name, bytes] = [newName(), testBytes(3, 100_000)];
      await store.put(name, inChunks(bytes, 777));
      const place = fc.integer({ min: 0, max: bytes.length - 1 });
      await fc.assert(
        fc.asyncProperty(place, place, async (one, other) => {
          const [first, last] = [Math.min(one, other), Math.max(one, other)];
          const part = await readAll(store, name, [first, last]);
          expect(part!.equals(bytes.subarray(first, last + 1))).toBe(true);
        }),
        {
          numRuns: propertyCases(20, 500),
          examples: [
            [0, 0],
            [0, bytes.length - 1],
            [bytes.length - 1, bytes.length - 1],
          ],
        },
      );
    });

    test('has no file of a name that was never stored, or was removed', async () => {
      const [name, other] = [newName(), newName()];
      expect(await store.open(name, null, never)).toBeNull();
      expect(await store.open(name, { first: 0, last: 0 }, never)).toBeNull();
      await store.put(name, inChunks(testBytes(1, 10)));
      await store.put(other, inChunks(testBytes(2, 10)));
      await store.remove([name, newName()]);
      await store.remove([name]);
      expect(await store.open(name, null, never)).toBeNull();
      expect(await readAll(store, other)).toHaveLength(10);
    });

    test.each([
      ['at once', 0],
      ['after some bytes', 100_000],
      ['after a part', 9 * mebibyte],
    ])('keeps nothing of a source that fails %s', async (_when, size) => {
      const name = newName();
      await expect(store.put(name, failingAfter(testBytes(4, size)))).rejects.toThrow('The client left.');
      expect(await store.open(name, null, never)).toBeNull();
      expect(await store.list(name, '')).toEqual([]);
    });

    test.each([100_000, 9 * mebibyte])(
      'names a file of %i bytes when it is admitted, and never before',
      async (size) => {
        const [name, refused] = [newName(), newName()];
        const [isAsked, isAdmitted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const admitted = () => {
          isAsked.resolve();
          return isAdmitted.promise;
        };
        const storing = store.put(name, inChunks(testBytes(8, size)), { admitted });
        await isAsked.promise;
        expect(await store.open(name, null, never)).toBeNull();
        isAdmitted.resolve();
        expect(await storing).toMatchObject({ size });
        expect(await readAll(store, name)).toHaveLength(size);
        const refuse = () => Promise.reject(new Error('There is no room.'));
        const refusal = store.put(refused, inChunks(testBytes(8, size)), { admitted: refuse });
        await expect(refusal).rejects.toThrow('There is no room.');
        expect(await store.list(refused, '')).toEqual([]);
      },
    );

    test('stores many files at once, each whole', async () => {
      const files = Array.from({ length: 60 }, (_one, seed) => ({ name: newName(), bytes: testBytes(seed, 50_000) }));
      await Promise.all(files.map(({ name, bytes }) => store.put(name, inChunks(bytes, 4096))));
      const read = await Promise.all(files.map(({ name }) => readAll(store, name)));
      expect(read.map((bytes, place) => bytes!.equals(files[place]!.bytes))).toEqual(files.map(() => true));
    });

    test('lists the files below a prefix in the order of names, a page at a time', async () => {
      const folder = `${newId('org')}/${newId('bkt')}`;
      const names = Array.from(
        { length: 30 },
        (_one, place) => `${folder}/o_${place % 7}${'x'.repeat(place % 3)}/v_${place}`,
      );
      for (const name of names) await store.put(name, inChunks(testBytes(1, 5)), { size: 5 });
      const sorted = [...names].sort();
      expect((await listAll(store, `${folder}/`)).map(({ name }) => name)).toEqual(sorted);
      for (const after of [sorted[0]!, sorted[12]!, `${folder}/o_3`, `${folder}/o_6xx/v_99`]) {
        expect((await store.list(`${folder}/`, after)).map(({ name }) => name)).toEqual(
          sorted.filter((name) => name > after),
        );
      }
      expect((await store.list(`${folder}/o_1`, '')).map(({ name }) => name)).toEqual(
        sorted.filter((name) => name.startsWith(`${folder}/o_1`)),
      );
      expect(await store.list(`${newId('org')}/`, '')).toEqual([]);
    });

    test('removes more files at once than one request of S3 takes', async () => {
      const folder = `${newId('org')}/${newId('bkt')}`;
      const name = `${folder}/o/v`;
      await store.put(name, inChunks(testBytes(1, 5)), { size: 5 });
      await store.remove([...Array.from({ length: 1200 }, (_one, place) => `${folder}/o/missing_${place}`), name]);
      expect(await store.list(folder, '')).toEqual([]);
    });

    test.each(['', 'a', 'a/../b', '/a/b', 'a/b/', 'a//b', 'A/b', 'a/b\u0000', 'a/ü', `a/${'b'.repeat(81)}`, 'a\\b/c'])(
      'takes no name that the platform does not make: %j',
      async (name) => {
        await expect(store.put(name, inChunks(testBytes(1, 1)))).rejects.toThrow(RangeError);
        await expect(store.open(name, null, never)).rejects.toThrow(RangeError);
        await expect(store.remove([name])).rejects.toThrow(RangeError);
      },
    );

    test('ends a download when its reader leaves', async () => {
      const [name, leaving] = [newName(), new AbortController()];
      await store.put(name, inChunks(testBytes(5, 4 * mebibyte)));
      const source = (await store.open(name, null, leaving.signal))!;
      const [chunk] = (await source.iterator({ destroyOnReturn: false }).next()).value as Buffer;
      expect(chunk).toBeDefined();
      leaving.abort();
      await new Promise((resolve) => source.once('close', resolve));
      expect(source.destroyed).toBe(true);
      expect(await readAll(store, name)).toHaveLength(4 * mebibyte);
    });
  });
}
