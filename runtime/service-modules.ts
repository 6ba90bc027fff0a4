import { hash as hashText } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import module, { type ResolveFnOutput, type ResolveHookContext } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hashOf, loadedHash, registerStripTypesHook } from '../lib/tuning/strip-types.js';
import { inPlaceOf, loadPackagesOnDemand } from './packages-on-demand.ts';

/** The root folder of the platform. */
export const root = dirname(import.meta.dirname);

/** The specifier by which external services import the platform; package.json exports the same. */
const publicModules: Record<string, string> = { 'platform/service': pathToFileURL(join(root, 'service.ts')).href };
const rootAddress = pathToFileURL(join(root, 'package.json')).href;
const rootFolder = pathToFileURL(join(root, sep)).href;
/** Deno has different names of module formats. */
const isOnNode = !('deno' in process.versions);

/** Whether a file belongs to one service, so that it is reloaded when the service is replaced. */
export type Owns = (path: string) => boolean;

/**
 * A loaded module: the hash of its file at that time, null where {@link loadedHash} has it, and the URLs of the files
 * it imports.
 */
type LoadedModule = { url: string; path: string; hash: string | null; imports: Set<string> };
type Next = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput;

const loaded = new Map<string, LoadedModule>();
/** The ownership test of each load in progress, by the marker in its URLs. */
const loads = new Map<string, Owns>();
const markParameter = 'load';
let isInstalled = false;

/**
 * Observes all later imports. Runtimes cache modules by URL, so the files of a reloaded service get a marker in their
 * URLs; without this hook only the entry file of a service could be reloaded. Works on Node and on Deno. Call it before
 * any code that services share is imported.
 */
export function installModuleHooks(): void {
  if (isInstalled) return;
  registerStripTypesHook();
  loadPackagesOnDemand();
  module.registerHooks({ resolve: resolveModule });
  isInstalled = true;
}

/** A service's module and the version of its code. */
export type ImportedService = { exports: Record<string, unknown>; version: string | null };

/** The first load of a service's file, when the node starts. `version` is null where the hooks are not installed. */
export async function importService(file: string, owns: Owns): Promise<ImportedService> {
  const address = pathToFileURL(file).href;
  note(address);
  const exports = (await import(address)) as Record<string, unknown>;
  return { exports, version: isInstalled ? versionOf(address, owns) : null };
}

/**
 * Reloads a service's file and every other file it owns from the disk.
 *
 * @throws Error when shared code that it imports has changed on the disk since this process loaded it: the service
 * would run with the previous code. Also when its own files change during the load.
 */
export async function importServiceAgain(file: string, owns: Owns): Promise<ImportedService> {
  if (!isInstalled) throw new Error('this process was started without the module hooks that reload files');
  const mark = String(loads.size + 1);
  loads.set(mark, owns);
  const address = markedAddress(pathToFileURL(file).href, mark);
  note(address);
  const hooks = isOnNode ? null : module.registerHooks({ load: loadMarked });
  const exports = (await import(address)
    .catch((error: unknown) => {
      requireUnchanged(address, owns);
      throw error;
    })
    .finally(() => hooks?.deregister())) as Record<string, unknown>;
  requireUnchanged(address, owns);
  return { exports, version: versionOf(address, owns) };
}

type LoadHook = NonNullable<Parameters<typeof module.registerHooks>[0]['load']>;

/**
 * Loads the files of a reloaded service on Deno. Deno's loader checks every module of the process for each file, which
 * takes seconds of the main thread for a service of the platform. Installed only during the load, because Deno compiles
 * the JSON files of packages as code while such a hook exists; so those are loaded here too.
 */
const loadMarked: LoadHook = (url, context, next) => {
  const { pathname, searchParams } = new URL(url);
  const source = () => readFileSync(fileURLToPath(url), 'utf8');
  if (pathname.endsWith('.json')) return { format: 'json', source: source(), shortCircuit: true };
  if (!pathname.endsWith('.ts') || !searchParams.has(markParameter)) return next(url, context);
  return { format: 'module', source: module.stripTypeScriptTypes(source()), shortCircuit: true };
};

function resolveModule(specifier: string, context: ResolveHookContext, next: Next): ResolveFnOutput {
  const { parentURL } = context;
  if (!parentURL?.startsWith('file:')) return next(specifier, context);
  // Packages import no files of the platform.
  if (parentURL.includes('/node_modules/')) {
    const url = inPlaceOf(specifier, parentURL);
    return url ? { url, shortCircuit: true } : next(specifier, context);
  }
  const known = publicModules[specifier];
  const resolved = known
    ? { url: known, shortCircuit: true }
    : (resolveRelative(specifier, parentURL) ?? resolvePackage(specifier, context, next));
  if (!resolved.url.startsWith('file:') || resolved.url.includes('/node_modules/')) return resolved;
  const mark = new URL(parentURL).searchParams.get(markParameter);
  const isOwn = mark !== null && loads.get(mark)?.(fileURLToPath(resolved.url));
  const url = isOwn ? markedAddress(resolved.url, mark) : resolved.url;
  note(url);
  loaded.get(parentURL)?.imports.add(url);
  return { ...resolved, url };
}

/**
 * Resolves relative imports of the platform's files without file system access: their paths are complete. The runtime
 * would query the file system several times for each, which slows down the start.
 */
function resolveRelative(specifier: string, parentURL: string): ResolveFnOutput | null {
  const isDirect = /^\.\.?\/.*\.ts$/.test(specifier) && parentURL.startsWith(rootFolder);
  if (!isDirect || !isOnNode) return null;
  const url = new URL(specifier, parentURL).href;
  if (!loaded.has(url)) loaded.set(url, { url, path: fileURLToPath(url), hash: null, imports: new Set() });
  return { url, format: 'module-typescript', shortCircuit: true };
}

const packages = new Map<string, ResolveFnOutput>();

/**
 * Resolves a package by cache: all files below the same folder with packages resolve a name to the same file, so the
 * file system is queried only for the first. A reloaded service may have got additional packages, so its imports are not
 * cached.
 */
function resolvePackage(specifier: string, context: ResolveHookContext, next: Next): ResolveFnOutput {
  const { parentURL = '', conditions } = context;
  const isFirstLoad = !parentURL.includes('?');
  if (!isFirstLoad || !/^[a-z@]/.test(specifier) || !isOnNode) return resolveOrFallBack(specifier, context, next);
  const key = [specifier, folderOfPackages(dirname(fileURLToPath(parentURL))), ...conditions].join(' ');
  const known = packages.get(key);
  if (known) return { ...known, shortCircuit: true };
  const resolved = resolveOrFallBack(specifier, context, next);
  packages.set(key, resolved);
  return resolved;
}

const foldersOfPackages = new Map<string, string>();

/** The nearest folder with packages, from a folder upwards; the root when none has packages. */
function folderOfPackages(folder: string): string {
  const known = foldersOfPackages.get(folder);
  if (known !== undefined) return known;
  const above = dirname(folder);
  const hasPackages = above === folder || existsSync(join(folder, 'node_modules'));
  const found = hasPackages ? folder : folderOfPackages(above);
  foldersOfPackages.set(folder, found);
  return found;
}

/** Resolves packages that a service outside the repository does not have itself from the platform. */
function resolveOrFallBack(specifier: string, context: ResolveHookContext, next: Next): ResolveFnOutput {
  try {
    return next(specifier, context);
  } catch (error) {
    const isPackage = /^[a-z@]/.test(specifier) && !URL.canParse(specifier);
    const isOutside = isPackage && relative(root, fileURLToPath(context.parentURL as string)).startsWith('..');
    if (!isOutside) throw error;
    return next(specifier, { ...context, parentURL: rootAddress });
  }
}

function markedAddress(address: string, mark: string): string {
  const url = new URL(address);
  url.searchParams.set(markParameter, mark);
  return url.href;
}

/** Records the hash of a file when it is loaded, which is the first time that its URL is resolved. */
function note(url: string): void {
  if (loaded.has(url)) return;
  const path = fileURLToPath(url);
  const hash = presentHash(path);
  if (hash !== null) loaded.set(url, { url, path, hash, imports: new Set() });
}

/** The current hash of a file; null when it cannot be read. */
function presentHash(path: string): string | null {
  try {
    return hashOf(readFileSync(path));
  } catch {
    return null;
  }
}

/** The hash at load; null for a module whose file could not be read. */
const hashAtLoad = ({ url, hash }: LoadedModule): string | null => hash ?? loadedHash(url) ?? null;

/** A module and all of its direct and transitive imports. */
function closureOf(address: string): LoadedModule[] {
  const addresses = new Set([address]);
  // The iteration visits entries that are added during it.
  for (const one of addresses) for (const imported of loaded.get(one)?.imports ?? []) addresses.add(imported);
  return [...addresses].flatMap((one) => loaded.get(one) ?? []);
}

function requireUnchanged(address: string, owns: Owns): void {
  for (const module of closureOf(address)) {
    const { path } = module;
    if (presentHash(path) === hashAtLoad(module)) continue;
    const name = nameOf(path);
    if (owns(path)) throw new Error(`${name} changed while it was loaded: load the service again`);
    throw new Error(`${name} changed since this node started: restart the node`);
  }
}

/** The hash of the files that a service owns and imports: equal on all nodes that run the same code of it. */
function versionOf(address: string, owns: Owns): string {
  const folder = dirname(fileURLToPath(address));
  const files = closureOf(address)
    .filter(({ path }) => owns(path))
    .map((module) => `${relative(folder, module.path).split(sep).join('/')} ${hashAtLoad(module)}`);
  return hashText('sha256', files.sort().join('\n')).slice(0, 12);
}

function nameOf(path: string): string {
  const name = relative(root, path);
  return name.startsWith('..') ? path : name.split(sep).join('/');
}
