import { hash as hashText } from 'node:crypto';
import { readFileSync } from 'node:fs';
import module, { type ResolveFnOutput, type ResolveHookContext } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The root folder of the platform. */
export const root = dirname(import.meta.dirname);

/** The specifier by which external services import the platform; package.json exports the same. */
const publicModules: Record<string, string> = { 'platform/service': pathToFileURL(join(root, 'service.ts')).href };
const rootAddress = pathToFileURL(join(root, 'package.json')).href;
/** Deno has different names of module formats. */
const isOnNode = !('deno' in process.versions);

/** Whether a file belongs to one service, so that it is reloaded when the service is replaced. */
export type Owns = (path: string) => boolean;

/** A loaded module: the hash of its file at that time, and the URLs of the files it imports. */
type LoadedModule = { path: string; hash: string; imports: Set<string> };
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
  if (!isOnNode) await import('moleculer-web');
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
 * the JSON files of packages as code while such a hook exists; so those are loaded here too. While the hook exists, Deno
 * also fails to load packages that require an ES module, as dependencies of moleculer-web do. So moleculer-web is
 * imported before.
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
  // Packages import no files of the platform.
  if (!parentURL?.startsWith('file:') || parentURL.includes('/node_modules/')) return next(specifier, context);
  const known = publicModules[specifier];
  const resolved = known ? { url: known, shortCircuit: true } : resolveOrFallBack(specifier, context, next);
  if (!resolved.url.startsWith('file:') || resolved.url.includes('/node_modules/')) return resolved;
  const mark = new URL(parentURL).searchParams.get(markParameter);
  const isOwn = mark !== null && loads.get(mark)?.(fileURLToPath(resolved.url));
  const url = isOwn ? markedAddress(resolved.url, mark) : resolved.url;
  note(url);
  loaded.get(parentURL)?.imports.add(url);
  return { ...resolved, url };
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
  if (hash !== null) loaded.set(url, { path, hash, imports: new Set() });
}

/** The current hash of a file; null when it cannot be read. */
function presentHash(path: string): string | null {
  try {
    return hashText('sha256', readFileSync(path));
  } catch {
    return null;
  }
}

/** A module and all of its direct and transitive imports. */
function closureOf(address: string): LoadedModule[] {
  const addresses = new Set([address]);
  // The iteration visits entries that are added during it.
  for (const one of addresses) for (const imported of loaded.get(one)?.imports ?? []) addresses.add(imported);
  return [...addresses].flatMap((one) => loaded.get(one) ?? []);
}

function requireUnchanged(address: string, owns: Owns): void {
  for (const module of closureOf(address)) {
    const { path, hash } = module;
    if (presentHash(path) === hash) continue;
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
    .map(({ path, hash }) => `${relative(folder, path).split(sep).join('/')} ${hash}`);
  return hashText('sha256', files.sort().join('\n')).slice(0, 12);
}

function nameOf(path: string): string {
  const name = relative(root, path);
  return name.startsWith('..') ? path : name.split(sep).join('/');
}
