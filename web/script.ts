import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { once } from '../lib/concurrency/once.ts';
import { type Html, html } from './html.ts';

const clientFolder = join(import.meta.dirname, 'client');

const names = [
  'confirm',
  'console',
  'copy',
  'docs',
  'inbox',
  'live-list',
  'palette',
  'template-preview',
  'upload',
] as const;
export type ScriptName = (typeof names)[number];

/**
 * A file that browsers load. Its URL changes with its source and the sources of its imports. Its types are stripped when
 * it is first read, because the runtime's stripper takes a tenth of a second and 16 MiB.
 */
export type Script = { path: string; href: string; read: () => Buffer; imports: readonly Script[] };

/** URL path of modules of packages. */
const packagesPath = '/self-service/packages';
/** URL paths of the served module folders. */
const servedFolders = new Map([[clientFolder, '/self-service']]);
const loaded = new Map<string, Script>();
/** An import of a value, which stays when the types are stripped. */
const runtimeImport = /^((?:import|export) (?!type\b)(?:[^';]*from )?)'([^']+)'/gm;

/** Serves the modules of a folder below a path. They may import each other and the modules of `web/client`. */
export function serveFolder(folder: string, path: string): void {
  servedFolders.set(folder, path);
}

/** Loads an ES module with its imports, which may be of packages. */
export function loadModule(file: string): Script {
  const cached = loaded.get(file);
  if (cached) return cached;
  const imports: Script[] = [];
  const source = readFileSync(file, 'utf8').replace(runtimeImport, (_all, words: string, name: string) => {
    const imported = loadModule(fileOf(name, file));
    imports.push(imported);
    return `${words}'${imported.href}'`;
  });
  const path = `${servedFolders.get(dirname(file)) ?? packagesPath}/${basename(file).replace(/\.ts$/, '.js')}`;
  const script = { path, href: `${path}?v=${versionOf(source)}`, read: strippedOnce(() => source), imports };
  loaded.set(file, script);
  return script;
}

/** The file of an import: a relative path, or a package. */
const fileOf = (name: string, importer: string): string =>
  name.startsWith('.') ? join(dirname(importer), name) : fileURLToPath(import.meta.resolve(name));

/** Reads a source without its types; they are stripped once. */
export function strippedOnce(readSource: () => string): () => Buffer {
  return once(() => Buffer.from(stripTypeScriptTypes(readSource())));
}

/** Short content hash, for the URL. */
export function versionOf(content: Buffer | string): string {
  return hash('sha256', content, 'base64url').slice(0, 12);
}

/** A module and its transitive imports, deduplicated. */
export function withImports(script: Script): Script[] {
  return [...new Set([script, ...script.imports.flatMap(withImports)])];
}

const ofPages = new Map(names.map((name) => [name, loadModule(join(clientFolder, `${name}.ts`))]));

/** Scripts of pages, which gateways serve. */
export const scripts: readonly Script[] = [...new Set([...ofPages.values()].flatMap(withImports))];

/**
 * Renders the script tag of a component; a browser runs a module once, even if a page has several tags. Every component
 * works without its script.
 */
export function useScript(name: ScriptName): Html {
  return html`<script type="module" src="${ofPages.get(name)?.href}"></script>`;
}
