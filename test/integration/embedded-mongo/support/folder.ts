import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

/** A temporary folder of a test file; it is removed after the file's tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-mongo-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
