import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import module, { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// JavaScript, because it loads TypeScript: the runtime would load its own type stripper for it, which needs a tenth of
// a second and 30 MB.

const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'without-types');
/** Another version of the runtime may strip types differently. Deno loads TypeScript itself and has its own cache. */
const cache = 'deno' in process.versions ? null : join(folder, process.version);

/** The options of a process that loads its modules from the cache. */
export const stripTypesNodeOptions =
  cache === null ? [] : ['--import', new URL('strip-types-hook.js', import.meta.url).href];

/** The hashes of the modules' sources, by URL, that {@link registerStripTypesHook} has read. */
const loadedHashes = new Map();
let isLoading = false;

/**
 * The hash of the source that a module was loaded from; undefined for a module that was not loaded by the hook.
 *
 * @param {string} url
 * @returns {string | undefined}
 */
export const loadedHash = (url) => loadedHashes.get(url);

/**
 * Makes this thread load later imports without their types from the cache. The runtime's compile cache would do the
 * same, but never releases the sources that it has read.
 */
export function registerStripTypesHook() {
  if (cache === null || isLoading) return;
  isLoading = true;
  module.registerHooks({
    load(url, context, next) {
      if (context.format !== 'module-typescript') return next(url, context);
      try {
        const path = fileURLToPath(url);
        const source = readFileSync(path);
        const sourceHash = hashOf(source);
        loadedHashes.set(url, sourceHash);
        return { format: 'module', source: cachedCode(path, source, sourceHash), shortCircuit: true };
      } catch {
        // Unreadable, or not only types: the runtime reports the error and its position.
        return next(url, context);
      }
    },
  });
}

/**
 * The source of a file without its types, with all other code at its position. It is cached, so that a start with a
 * warm cache does not load the type stripper.
 *
 * @param {string} file
 * @throws Error when the file cannot be read, and when its types cannot be stripped
 */
export function stripTypes(file) {
  const source = readFileSync(file);
  return cache === null ? stripTypeScriptTypes(source.toString()) : cachedCode(file, source, hashOf(source));
}

/**
 * @param {string} file
 * @param {Buffer} source
 * @param {string} sourceHash
 */
function cachedCode(file, source, sourceHash) {
  const cached = join(/** @type {string} */ (cache), `${hashOf(file)}.js`);
  const known = readCached(cached, sourceHash);
  if (known !== null) return known;
  const stripped = stripTypeScriptTypes(source.toString());
  writeCached(cached, headOf(sourceHash, stripped) + stripped);
  return stripped;
}

/**
 * Null when the file does not exist, was made from another source or is incomplete: after a power loss it may be empty.
 *
 * @param {string} path
 * @param {string} sourceHash
 */
function readCached(path, sourceHash) {
  try {
    const bytes = readFileSync(path);
    const code = bytes.subarray(bytes.indexOf('\n') + 1);
    return bytes.toString('latin1', 0, bytes.length - code.length) === headOf(sourceHash, code)
      ? code.toString()
      : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} path
 * @param {string} text
 */
function writeCached(path, text) {
  try {
    mkdirSync(/** @type {string} */ (cache), { recursive: true });
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, text);
    renameSync(temporary, path);
  } catch {
    // Without a writable cache the types are stripped at every start.
  }
}

/**
 * @param {string} sourceHash
 * @param {string | Buffer} code
 */
const headOf = (sourceHash, code) => `//${sourceHash} ${hashOf(code)}\n`;

/** @param {string | Buffer} content */
export const hashOf = (content) => hash('sha256', content, 'base64url');
