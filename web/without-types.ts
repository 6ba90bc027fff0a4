import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import module, { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

/**
 * The source of a browser's file without its types. It is cached beside compiled code, in the folder of this version of
 * the runtime: a start with a warm cache does not load the type stripper, which takes 30 MB.
 */
export function withoutTypes(file: string): string {
  const source = readFileSync(file, 'utf8');
  const folder = module.getCompileCacheDir?.();
  if (!folder) return stripTypeScriptTypes(source);
  const cached = join(folder, `${hashOf(source)}.js`);
  const known = readCached(cached);
  if (known !== null) return known;
  const stripped = stripTypeScriptTypes(source);
  writeCached(cached, stripped);
  return stripped;
}

/** Null when there is no such file, or when it is not whole: after a loss of power it may be empty. */
function readCached(path: string): string | null {
  try {
    const text = readFileSync(path, 'utf8');
    const code = text.slice(text.indexOf('\n') + 1);
    return text === withHash(code) ? code : null;
  } catch {
    return null;
  }
}

function writeCached(path: string, code: string): void {
  try {
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, withHash(code));
    renameSync(temporary, path);
  } catch {
    // Without a writable cache the types are removed at every start.
  }
}

const withHash = (code: string): string => `//${hashOf(code)}\n${code}`;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
