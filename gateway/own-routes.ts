import { gzipSync } from 'node:zlib';
import type { ServiceBroker } from 'moleculer';
import type { OwnHandler, Route } from '../http/dispatch.ts';
import { healthRoutes } from '../http/health.ts';
import { type SharedDocument, sendShared, sharedDocument } from '../http/shared-document.ts';
import { once } from '../lib/concurrency/once.ts';
import { apiError } from '../lib/contract/errors.ts';
import { accentColorOf, accentRoute, logoPath, readLogo } from '../web/brand.ts';
import { iconFile } from '../web/icons.ts';
import { scripts } from '../web/script.ts';
import { fontFile, styleSheets } from '../web/style.ts';
import { organizationStyle } from '../web/theme.ts';
import { frameAssets, loader } from '../widget/assets.ts';
import { docsRoutes } from './docs-routes.ts';
import { platformAddresses, sendFrontPage } from './front-page.ts';
import { servedOpenApi } from './openapi.ts';

const day = 86_400;
const css = 'text/css; charset=utf-8';
const javaScript = 'text/javascript; charset=utf-8';

/** The routes that the gateway answers itself. They concern the platform, not a tenant. */
export const ownRoutes: Record<string, OwnHandler> = {
  ...healthRoutes,
  'GET /openapi.json': function openapi(request, response) {
    return sendShared(this.tools.limit, request, response, () => openApiOf(this.routes(), this.broker));
  },
  /** Shows a browser what the platform is. A program gets the addresses that it needs first. */
  'GET /': function home(request, response) {
    response.setHeader('Vary', 'Accept');
    if (request.headers.accept?.includes('text/html')) return sendFrontPage(this, request, response);
    return sendShared(this.tools.limit, request, response, platformIndex);
  },
  ...Object.fromEntries(assets().map((asset) => [`GET ${asset.path}`, handlerOf(asset)])),
  /** The colours of an organization's brand on its pages. They depend on the address alone, so that no tenant is read. */
  [`GET ${accentRoute}`]: function accents(request, response) {
    const color = accentColorOf(request.parameters.color);
    if (color === null) throw apiError('ROUTE_NOT_FOUND');
    const headers = { 'Content-Type': css, 'Cache-Control': `public, max-age=${day}` };
    response.writeHead(200, headers).end(organizationStyle(color));
  },
  ...docsRoutes,
};

const platformIndex = once(() => {
  return sharedDocument(Buffer.from(JSON.stringify(platformAddresses())), 'application/json; charset=utf-8');
});

const openApiDocuments = new WeakMap<Route[], SharedDocument>();

/** Cached per list of routes: moleculer-web creates a new list when services start or stop. */
function openApiOf(routes: Route[], broker: ServiceBroker): SharedDocument {
  const known = openApiDocuments.get(routes);
  if (known) return known;
  const text = JSON.stringify(servedOpenApi(broker));
  const document = sharedDocument(Buffer.from(text), 'application/json; charset=utf-8');
  openApiDocuments.set(routes, document);
  return document;
}

type Asset = { path: string; read: () => Buffer; type: string; seconds: number; isForOthers?: boolean };

/** The files that pages and the widget load. */
function assets(): Asset[] {
  const logo = readLogo();
  return [
    ...styleSheets.map(({ path, bytes }) => ({
      path,
      read: () => bytes,
      type: css,
      seconds: day,
    })),
    ...scripts.map(({ path, read }) => ({ path, read, type: javaScript, seconds: day })),
    { path: iconFile.path, read: () => iconFile.bytes, type: 'image/svg+xml; charset=utf-8', seconds: day },
    { path: fontFile.path, read: () => fontFile.bytes, type: 'font/woff2', seconds: day },
    ...(logo ? [{ path: logoPath, read: () => logo.bytes, type: logo.type, seconds: 3600 }] : []),
    ...frameAssets,
    loader,
  ];
}

/** Serves a file. Text is compressed once, when it is first requested, and sent to clients that accept it. */
function handlerOf({ read, type, seconds, isForOthers = false }: Asset): OwnHandler {
  const isText = type.includes('charset');
  const compress = once(() => gzipSync(read(), { level: 9 }));
  const headers = {
    'Content-Type': type,
    'Cache-Control': `public, max-age=${seconds}`,
    ...(isText && { Vary: 'Accept-Encoding' }),
    ...(isForOthers && { 'Cross-Origin-Resource-Policy': 'cross-origin' }),
  };
  return function asset(request, response) {
    const isCompressed = isText && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const sent = isCompressed ? compress() : read();
    const encoding = isCompressed ? { 'Content-Encoding': 'gzip' } : {};
    response.writeHead(200, { ...headers, ...encoding, 'Content-Length': sent.length }).end(sent);
  };
}
