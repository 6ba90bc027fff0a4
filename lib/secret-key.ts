import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from './settings.ts';

let key: string | undefined;
let generatedFile: string | undefined;

/**
 * The platform's secret key: SECRET_KEY, or a key generated on first use and kept in DATA_DIR, readable by the owner
 * only.
 */
export function secretKey(): string {
  key ??= settings.SECRET_KEY?.reveal() ?? readOrMake(join(settings.DATA_DIR, 'secret-key'));
  return key;
}

/** Removes the key file that this process has generated, because the database requires another key. */
export function discardGeneratedKey(): void {
  if (generatedFile) rmSync(generatedFile, { force: true });
  generatedFile = undefined;
}

function readOrMake(file: string): string {
  mkdirSync(settings.DATA_DIR, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true });
  try {
    // Creating a link is atomic and never overwrites another process's key.
    linkSync(draft, file);
    generatedFile = file;
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(file, 'utf8');
}

function isAlreadyThere(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EEXIST';
}
