import type { ServiceBroker } from 'moleculer';
import { docsRoutes } from './docs-page.ts';
import type { GatewayResponse } from './exchange.ts';
import { readiness } from './health.ts';
import { mailboxRoutes } from './mailbox/mailbox-routes.ts';
import { openApiDocument } from './openapi.ts';
import { pageRoutes } from './pages/routes.ts';
import type { OwnHandler, Route } from './routes.ts';
import { type SharedDocument, sendShared, sharedDocument } from './shared-document.ts';

/** The routes that the gateway answers itself. They are about the platform, not about a tenant. */
export const ownRoutes: Record<string, OwnHandler> = {
  'GET /health/alive': function alive(_request, response) {
    sendDocument(response, 200, { status: 'alive' });
  },
  'GET /health/ready': async function ready(_request, response) {
    const missing = await readiness(this.broker);
    if (missing.length > 0) response.setHeader('Retry-After', '1');
    sendDocument(response, missing.length === 0 ? 200 : 503, {
      status: missing.length === 0 ? 'ready' : 'not ready',
      missing,
    });
  },
  'GET /openapi.json': function openapi(request, response) {
    return sendShared(this.tools.limit, request, response, () => openApiOf(this.aliases, this.broker));
  },
  ...docsRoutes,
  ...pageRoutes,
  ...mailboxRoutes,
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

function sendDocument(response: GatewayResponse, status: number, document: unknown): void {
  const text = JSON.stringify(document);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}
