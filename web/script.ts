import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { type Html, html } from './html.ts';

const names = ['confirm', 'copy'] as const;
export type ScriptName = (typeof names)[number];

type Script = { path: string; href: string; bytes: Buffer };

const loaded = new Map(names.map((name) => [name, load(name)]));

/** The scripts of pages, which gateways serve: ES modules, whose types are removed here. */
export const scripts: readonly Script[] = [...loaded.values()];

/**
 * Loads a script beside the component that uses it; a browser runs a module once, however often a page names it. Every
 * component works without its script.
 */
export function useScript(name: ScriptName): Html {
  return html`<script type="module" src="${loaded.get(name)?.href}"></script>`;
}

function load(name: ScriptName): Script {
  const source = readFileSync(join(import.meta.dirname, 'client', `${name}.ts`), 'utf8');
  const bytes = Buffer.from(stripTypeScriptTypes(source));
  const version = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
  const path = `/self-service/${name}.js`;
  return { path, href: `${path}?v=${version}`, bytes };
}
