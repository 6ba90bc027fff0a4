import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { OwnHandler } from '../http/dispatch.ts';
import { type SharedDocument, sendShared, sharedDocument } from '../http/shared-document.ts';

type Asset = { file: string; type: string };

const ownFolder = join(import.meta.dirname, 'docs');
const { resolve } = createRequire(import.meta.url);

const assets: Record<string, Asset> = {
  '/docs': { file: join(ownFolder, 'page.html'), type: 'text/html; charset=utf-8' },
  '/docs/page.js': { file: join(ownFolder, 'page.js'), type: 'text/javascript; charset=utf-8' },
  '/docs/swagger-ui-bundle.js': {
    file: resolve('swagger-ui-dist/swagger-ui-bundle.js'),
    type: 'text/javascript; charset=utf-8',
  },
  '/docs/swagger-ui.css': { file: resolve('swagger-ui-dist/swagger-ui.css'), type: 'text/css; charset=utf-8' },
  '/docs/favicon.png': { file: resolve('swagger-ui-dist/favicon-32x32.png'), type: 'image/png' },
};

/**
 * Only files of this origin can be loaded, run or called, so that a typed key cannot be sent elsewhere. The images in
 * the library's style sheet are `data:` URLs.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const read = new Map<string, Promise<SharedDocument>>();

/** The page at /docs to read and try the APIs of `/openapi.json`, and its assets. */
export const docsRoutes: Record<string, OwnHandler> = Object.fromEntries(
  Object.entries(assets).map(([path, asset]) => [`GET ${path}`, handlerOf(asset)]),
);

function handlerOf(asset: Asset): OwnHandler {
  return function sendAsset(request, response) {
    const headers = { 'Content-Security-Policy': contentSecurityPolicy };
    return sendShared(this.tools.limit, request, response, () => readOnce(asset), headers);
  };
}

/** Cached on the first request: the library is large, and on few platforms it is requested. */
function readOnce({ file, type }: Asset): Promise<SharedDocument> {
  const known = read.get(file);
  if (known !== undefined) return known;
  const document = readFile(file).then((bytes) => sharedDocument(bytes, type));
  read.set(file, document);
  document.catch(() => read.delete(file));
  return document;
}
