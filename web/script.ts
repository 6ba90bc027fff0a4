import { basename, dirname, join } from 'node:path';
import { hashOf, stripTypes } from '../lib/without-types.js';
import { type Html, html } from './html.ts';

const clientFolder = join(import.meta.dirname, 'client');

const names = ['confirm', 'copy', 'inbox'] as const;
export type ScriptName = (typeof names)[number];

/** A file that browsers load. Its address changes with its content, and so with that of what it imports. */
export type Script = { path: string; href: string; bytes: Buffer; imports: readonly Script[] };

/** The paths below which the modules of a folder are served. */
const servedFolders = new Map([[clientFolder, '/self-service']]);
const loaded = new Map<string, Script>();

/** Has the modules of a folder served below a path. They may import each other, and those of `web/client`. */
export function serveFolder(folder: string, path: string): void {
  servedFolders.set(folder, path);
}

/** Loads an ES module with all that it imports; its types are removed here. */
export function loadModule(file: string): Script {
  const known = loaded.get(file);
  if (known) return known;
  const imports: Script[] = [];
  const source = stripTypes(file).replace(/((?:from|import)\s+)'(\.[^']+)'/g, (_all, words: string, name: string) => {
    const imported = loadModule(join(dirname(file), name));
    imports.push(imported);
    return `${words}'${imported.href}'`;
  });
  const path = `${servedFolders.get(dirname(file))}/${basename(file, '.ts')}.js`;
  const bytes = Buffer.from(source);
  const script = { path, href: `${path}?v=${versionOf(bytes)}`, bytes, imports };
  loaded.set(file, script);
  return script;
}

/** A short hash of content, for its address. */
export function versionOf(bytes: Buffer): string {
  return hashOf(bytes).slice(0, 12);
}

/** A module and all that it imports, each once. */
export function withImports(script: Script): Script[] {
  return [...new Set([script, ...script.imports.flatMap(withImports)])];
}

const ofPages = new Map(names.map((name) => [name, loadModule(join(clientFolder, `${name}.ts`))]));

/** The scripts of pages, which gateways serve. */
export const scripts: readonly Script[] = [...new Set([...ofPages.values()].flatMap(withImports))];

/**
 * Loads a script beside the component that uses it; a browser runs a module once, however often a page names it. Every
 * component works without its script.
 */
export function useScript(name: ScriptName): Html {
  return html`<script type="module" src="${ofPages.get(name)?.href}"></script>`;
}
