import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from '@jest/globals';
import { failureOf } from '../../../embedded/mongo/store/failure.ts';

const dir = mkdtempSync(join(tmpdir(), 'failure-'));
const database = new DatabaseSync(join(dir, 'data.db'));

afterAll(() => {
  database.close();
  rmSync(dir, { recursive: true });
});

const failed = (errcode: number) => Object.assign(new Error('from SQLite'), { errcode });

describe('a failure of storage', () => {
  test.each([
    ['a full disk', 13, 'OutOfDiskSpace'],
    ['a write that the disk does not do, while there is room', 778, 'FileStreamFailed'],
    ['a read that the disk does not do', 266, 'FileStreamFailed'],
    ['a file that may not be written', 8, 'FileStreamFailed'],
    ['a damaged page', 11, 'DataCorruptionDetected'],
    ['anything else', 1, 'InternalError'],
  ])('by %s is named as what it is', (_, code, name) => {
    expect(failureOf(database, failed(code))).toMatchObject({ codeName: name });
    expect(readdirSync(dir)).toEqual(['data.db']);
  });

  test('by a sync that failed is no answer, and ends the process', () => {
    expect(() => failureOf(database, failed(1034))).toThrow('from SQLite');
  });
});
