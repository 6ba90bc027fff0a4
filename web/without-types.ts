import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import module, { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

/**
 * The source of a browser's file without its types. It is kept beside compiled code, in the folder of this version of
 * the runtime: to remove types again at every start would load 30 MB that stay, for nothing else needs them then.
 */
export function withoutTypes(file: string): string {
  const source = readFileSync(file, 'utf8');
  const folder = module.getCompileCacheDir?.();
  if (!folder) return stripTypeScriptTypes(source);
  const kept = join(folder, `${hashOf(source)}.js`);
  const known = read(kept);
  if (known !== null) return known;
  const stripped = stripTypeScriptTypes(source);
  keep(kept, stripped);
  return stripped;
}

/** Null when there is no such file, or when it is not whole: after a loss of power it may be empty. */
function read(kept: string): string | null {
  try {
    const text = readFileSync(kept, 'utf8');
    const code = text.slice(text.indexOf('\n') + 1);
    return text === withHash(code) ? code : null;
  } catch {
    return null;
  }
}

function keep(kept: string, code: string): void {
  try {
    const written = `${kept}.${process.pid}`;
    writeFileSync(written, withHash(code));
    renameSync(written, kept);
  } catch {
    // Where nothing can be written, the types are removed at every start.
  }
}

const withHash = (code: string): string => `//${hashOf(code)}\n${code}`;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
