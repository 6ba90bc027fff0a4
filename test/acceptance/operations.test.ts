import { expect } from '@jest/globals';
import { send } from '../support/http.ts';
import { covers } from './covers.ts';
import { ledger } from './ledger.ts';
import { findProblems, type OpenApi, operationsOf } from './openapi.ts';

covers('health.alive', async ({ own: { url } }) => {
  expect(await send(url, { path: '/health/alive' })).toMatchObject({ status: 200, body: { status: 'alive' } });
});

covers('health.ready', async ({ own: { url } }) => {
  const ready = await send(url, { path: '/health/ready' });
  expect(ready).toMatchObject({ status: 200, body: { status: 'ready', missing: [], unavailable: [] } });
});

covers('openapi.document', async ({ own: { url } }) => {
  const { status, body: document } = await send<OpenApi>(url, { path: '/openapi.json' });
  expect(status).toBe(200);
  expect(findProblems(document)).toEqual([]);
  const routes = Object.values(ledger).flatMap(({ route }) => route ?? []);
  const protocol = [
    'GET /health/alive',
    'GET /health/ready',
    'GET /oauth2/.well-known/jwks.json',
    'GET /oauth2/.well-known/openid-configuration',
    'GET /oauth2/auth',
    'GET /oauth2/session/end',
    'GET /oauth2/userinfo',
    'POST /oauth2/auth',
    'POST /oauth2/introspect',
    'POST /oauth2/revoke',
    'POST /oauth2/session/end',
    'POST /oauth2/token',
    'POST /oauth2/userinfo',
  ];
  expect(operationsOf(document).sort()).toEqual([...routes, ...protocol].sort());
});

covers('docs.page', async ({ own: { url } }) => {
  const { status, headers, text } = await send(url, { path: '/docs' });
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  const loaded = [...text.matchAll(/<(?:script|link|img|use)\b[^>]*(?:src|href)="(?!data:)([^"]+)"/g)].map(
    (match) => match[1]!,
  );
  expect(loaded.length).toBeGreaterThan(0);
  for (const path of loaded) {
    expect(path).toMatch(/^\/(?!\/)/);
    expect((await send(url, { path })).status).toBe(200);
  }
});
