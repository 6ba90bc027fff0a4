import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadModule, type Script, serveFolder, strippedOnce, versionOf, withImports } from '../web/script.ts';

/** A file of the widget as gateways serve it. */
type WidgetAsset = Pick<Script, 'path' | 'href' | 'read'> & {
  type: string;
  /** Cache lifetime in seconds: the loader's URL never changes, the other URLs change with the content. */
  seconds: number;
  /** Whether pages of other origins load it. */
  isForOthers: boolean;
};

const folder = join(import.meta.dirname, 'browser');
const script = 'text/javascript; charset=utf-8';
const day = 86_400;
const loaderSeconds = 600;

serveFolder(folder, '/widget');
const frameModules = withImports(loadModule(join(folder, 'frame.ts')));
const styles = ['base.css', 'conversation.css', 'composer.css'];
const style = Buffer.concat(styles.map((name) => readFileSync(join(import.meta.dirname, 'style', name))));
const styleHref = `/widget/frame.css?v=${versionOf(style)}`;

/** The script that a website loads: `GET /widget.js`. */
export const loader: WidgetAsset = {
  path: '/widget.js',
  href: '/widget.js',
  read: strippedOnce(() => classicScript(['loader-look.ts', 'loader-storage.ts', 'loader.ts'])),
  type: script,
  seconds: loaderSeconds,
  isForOthers: true,
};

/** Style sheet and modules that the frame's page loads. */
export const frameAssets: readonly WidgetAsset[] = [
  { path: '/widget/frame.css', href: styleHref, read: () => style, type: 'text/css; charset=utf-8' },
  ...frameModules.map(({ path, href, read }) => ({ path, href, read, type: script })),
].map((asset) => ({ ...asset, seconds: day, isForOthers: false }));

/** URLs in the frame's page; all modules are listed, so that they load in parallel. */
export const frameHrefs = {
  style: styleHref,
  main: frameModules[0]?.href ?? '',
  modules: frameModules.slice(1).map(({ href }) => href),
};

/** Bundles several files into one classic script, for pages that cannot load modules. Its names are scoped. */
function classicScript(files: string[]): string {
  const sources = files.map((file) =>
    readFileSync(join(folder, file), 'utf8')
      .replace(/^import .*$/gm, '')
      .replace(/^export /gm, ''),
  );
  return `(() => {\n'use strict';\n${sources.join('\n')}\n})();\n`;
}
