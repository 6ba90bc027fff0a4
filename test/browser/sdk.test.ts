import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { compileSdk } from '../../sdk/pack.ts';
import { withBrowser } from '../support/browser.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

const visit = withBrowser();
const scripts = mkdtempSync(join(tmpdir(), 'platform-sdk-'));
let site: Server;
let origin: string;
let platform: Platform;

beforeAll(async () => {
  compileSdk(scripts);
  site = createServer(({ url = '/' }, response) => {
    if (!url.endsWith('.js'))
      return response.setHeader('content-type', 'text/html').end('<!doctype html><title>A</title>');
    const script = readFileSync(join(scripts, basename(url)));
    return response.setHeader('content-type', 'text/javascript').end(script);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  platform = await startPlatform({ env: { CORS_ORIGINS: origin } });
});
afterAll(() => {
  site.close();
  rmSync(scripts, { recursive: true });
});

/** It is a text, because these files have no types for the globals of a page. */
const program = `
  const { createClient } = await import('/index.js');
  const client = createClient(given);
  const slugs = [];
  for await (const { slug } of client.list('/applications', { query: { limit: 1 } })) slugs.push(slug);
  const sent = [];
  const object = await client.upload({
    file: new File([new Uint8Array(3_000_000)], 'a.bin'),
    key: 'a.bin',
    onProgress: ({ sentBytes, totalBytes }) => sent.push(sentBytes / totalBytes),
  });
  const refusal = await client.post('/applications', { body: { name: '', slug: 'a' } }).catch((error) => error);
  const leaving = new AbortController();
  const events = [];
  for await (const { event } of client.stream('/v1/connect/stream', { signal: leaving.signal })) {
    events.push(event);
    leaving.abort();
  }
  const { code, details, requestId } = refusal;
  return { slugs, size: object.size, sent, refusal: { code, details, requestId }, events };`;

test('a page of another origin uses the typed client', async () => {
  const { apiKey: token, orgId: tenantId } = platform.firstRun;
  const given = JSON.stringify({ url: platform.url, token, tenantId });
  await visit(async ({ page }) => {
    await page.goto(origin);
    const outcome = await page.evaluate<{ sent: number[] }>(`(async (given) => {${program}})(${given})`);
    expect(outcome).toMatchObject({
      slugs: ['first-app'],
      size: 3_000_000,
      refusal: {
        code: 'INPUT_INVALID',
        requestId: expect.stringMatching(/^req_/),
        details: [{ path: 'body.name', message: expect.any(String) }],
      },
      events: ['open'],
    });
    expect([outcome.sent[0], outcome.sent.at(-1)]).toEqual([0, 1]);
    expect(outcome.sent).toEqual([...outcome.sent].sort((one, other) => one - other));
  });
});
