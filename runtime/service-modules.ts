import { hash as hashText } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import module, { type ResolveFnOutput, type ResolveHookContext } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hashOf, loadedHash, registerStripTypesHook } from '../lib/without-types.js';
import { inPlaceOf, loadPackagesOnDemand } from './packages-on-demand.ts';

/** The folder of the platform itself. */
export const root = dirname(import.meta.dirname);

/** The specifier by which external services import the platform; package.json exports the same. */
const publicModules: Record<string, string> = { 'platform/service': pathToFileURL(join(root, 'service.ts')).href };
const rootAddress = pathToFileURL(join(root, 'package.json')).href;
const rootFolder = pathToFileURL(join(root, sep)).href;
/** Deno has its own names of formats. */
const isOnNode = !('deno' in process.versions);

/** Whether a file belongs to one service, so that it is reloaded when the service is replaced. */
export type Owns = (path: string) => boolean;

/**
 * A loaded module: the hash of its file at that time, null where {@link loadedHash} knows it, and the URLs of the files it
 * imports.
 */
type LoadedModule = { url: string; path: string; hash: string | null; imports: Set<string> };
type Next = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput;

const loaded = new Map<string, LoadedModule>();
/** By the mark in the addresses of a load, what the service that is loaded owns. */
const loads = new Map<string, Owns>();
const markParameter = 'load';
let isInstalled = false;

/**
 * Observes all later imports. Runtimes cache modules by URL, so the files of a service that is reloaded get a mark in
 * their URLs; without this hook only the entry file of a service could be reloaded. Works on Node and on Deno. Call it
 * before any code that services share is imported.
 */
export function installModuleHooks(): void {
  if (isInstalled) return;
  registerStripTypesHook();
  loadPackagesOnDemand();
  module.registerHooks({ resolve: resolveModule });
  isInstalled = true;
}

/**
 * A service's module, the version of its code, and the imported shared files that have changed since they were loaded.
 */
export type ImportedService = { exports: Record<string, unknown>; version: string | null };

/** The first load of a service's file, when the node starts. `version` is null where the hooks are not installed. */
export async function importService(file: string, owns: Owns): Promise<ImportedService> {
  const address = pathToFileURL(file).href;
  note(address);
  const exports = (await import(address)) as Record<string, unknown>;
  return { exports, version: isInstalled ? versionOf(address, owns) : null };
}

/**
 * Loads a service's file and every other file it owns from the disk, although they were loaded before.
 *
 * @throws Error when shared code that it imports has changed on the disk since this process loaded it: the service would
 * run on the former. Also when its own files change meanwhile.
 */
export async function importServiceAgain(file: string, owns: Owns): Promise<ImportedService> {
  if (!isInstalled) throw new Error('this process was started without the hooks that load files again');
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
 * Loads the files of a service that is loaded again, on Deno. Its own loader looks at every module of the process for each
 * file, which takes seconds of the main thread for a service of the platform. Installed only for that time, because Deno
 * compiles the JSON files of packages as code where there is such a hook; so those are answered here too.
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
 * The platform's own files import each other by their relative paths, in full: nothing is to be looked for. The runtime
 * would ask the file system about each several times, which is a tenth of the time until the platform is ready.
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
 * All files below the same folder with packages find the same one by the same name: the file system is asked for the first.
 * A service that is loaded again may have got packages of its own meanwhile.
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

/** The nearest folder that has packages, of a folder and those above it; the root when none has. */
function folderOfPackages(folder: string): string {
  const known = foldersOfPackages.get(folder);
  if (known !== undefined) return known;
  const above = dirname(folder);
  const hasPackages = above === folder || existsSync(join(folder, 'node_modules'));
  const found = hasPackages ? folder : folderOfPackages(above);
  foldersOfPackages.set(folder, found);
  return found;
}

/** A service outside the repository resolves packages that it does not have itself from the platform. */
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

/** Null for a file that cannot be read. */
function presentHash(path: string): string | null {
  try {
    return hashOf(readFileSync(path));
  } catch {
    return null;
  }
}

/** Null for a module whose file could not be read. */
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
