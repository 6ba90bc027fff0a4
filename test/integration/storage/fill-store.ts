import { errorCode } from '../../../lib/contract/errors.ts';
import { createDiskStore } from '../../../services/storage/store/disk-store.ts';
import { testBytes } from '../../support/test-bytes.ts';
import { inChunks, readAll } from './files.ts';

/** Stores a file, one that the disk has no room for, and one more; prints the outcomes. Its process may not write large files. */
const store = createDiskStore(process.argv[2] ?? '');
const put = (name: string, size: number) =>
  store.put(name, inChunks(testBytes(0, size))).then(
    () => 'stored',
    (error) => errorCode(error),
  );
const outcomes = [await put('o/small', 100_000), await put('o/large', 4_000_000), await put('o/next', 100_000)];
console.log(JSON.stringify({ outcomes, read: (await readAll(store, 'o/small'))?.length }));
