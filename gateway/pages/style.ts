import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayRequest, GatewayResponse } from '../exchange.ts';

const parts = ['base.css', 'account.css', 'console.css'].map((name) =>
  readFileSync(join(import.meta.dirname, 'style', name)),
);
const bytes = Buffer.concat(parts);
const version = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
const day = 86_400;

/** The URL of the style sheet. It changes with the content, so that no browser shows a new page with an old style. */
export const styleHref = `/self-service/style.css?v=${version}`;

/** The style sheet of all pages, which browsers cache. It is the same for all users. */
export const styleRoutes = {
  'GET /self-service/style.css': (_request: GatewayRequest, response: GatewayResponse): void => {
    response.writeHead(200, {
      'Content-Type': 'text/css; charset=utf-8',
      'Content-Length': bytes.length,
      'Cache-Control': `public, max-age=${day}`,
    });
    response.end(bytes);
  },
};
