import type { ServiceBroker } from 'moleculer';
import type { HttpRequest, HttpResponse } from '../http/exchange.ts';
import { healthRoutes } from '../http/health-routes.ts';
import type { OwnHandler, Route } from '../http/routes.ts';
import { sendError } from '../http/send-error.ts';
import { redirect } from '../http/send-page.ts';
import { type SharedDocument, sendShared, sharedDocument } from '../http/shared-document.ts';
import { fail } from '../lib/errors.ts';
import { logoPath, readLogo } from '../web/brand.ts';
import { scripts } from '../web/script.ts';
import { styleSheet } from '../web/style.ts';
import { docsRoutes } from './docs-page.ts';
import { openApiDocument } from './openapi.ts';

const logo = readLogo();

/** The routes that the gateway answers itself. They are about the platform, not about a tenant. */
export const ownRoutes: Record<string, OwnHandler> = {
  ...healthRoutes,
  'GET /openapi.json': function openapi(request, response) {
    return sendShared(this.tools.limit, request, response, () => openApiOf(this.routes(), this.broker));
  },
  /** Redirects a browser at the platform's address to the account page. Other clients get 404. */
  'GET /': function home({ headers, requestId }, response) {
    if (headers.accept?.includes('text/html')) redirect(response, '/account');
    else sendError(response, fail('ROUTE_NOT_FOUND'), requestId);
  },
  'GET /self-service/style.css': function style(_request, response) {
    sendAsset(response, styleSheet, 'text/css; charset=utf-8', 86_400);
  },
  ...Object.fromEntries(
    scripts.map(({ path, bytes }) => [
      `GET ${path}`,
      function script(_request: HttpRequest, response: HttpResponse) {
        sendAsset(response, bytes, 'text/javascript; charset=utf-8', 86_400);
      },
    ]),
  ),
  ...(logo && {
    [`GET ${logoPath}`](_request: HttpRequest, response: HttpResponse) {
      sendAsset(response, logo.bytes, logo.type, 3600);
    },
  }),
  ...docsRoutes,
};

const openApiDocuments = new WeakMap<Route[], SharedDocument>();

/** Cached per list of routes: moleculer-web creates a new list when services start or stop. */
function openApiOf(routes: Route[], broker: ServiceBroker): SharedDocument {
  const known = openApiDocuments.get(routes);
  if (known) return known;
  const text = JSON.stringify(openApiDocument(broker));
  const document = sharedDocument(Buffer.from(text), 'application/json; charset=utf-8');
  openApiDocuments.set(routes, document);
  return document;
}

function sendAsset(response: HttpResponse, bytes: Buffer, type: string, seconds: number): void {
  const headers = {
    'Content-Type': type,
    'Content-Length': bytes.length,
    'Cache-Control': `public, max-age=${seconds}`,
  };
  response.writeHead(200, headers).end(bytes);
}
