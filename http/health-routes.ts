import { endResponse } from './end-response.ts';
import type { HttpResponse } from './exchange.ts';
import { readiness } from './health.ts';
import type { OwnHandler } from './routes.ts';

/** The routes by which a load balancer asks whether a listener's process lives, and whether it can answer requests. */
export const healthRoutes: Record<string, OwnHandler> = {
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
};

function sendDocument(response: HttpResponse, status: number, document: unknown): void {
  const text = JSON.stringify(document);
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) };
  endResponse(response.writeHead(status, headers), text);
}
