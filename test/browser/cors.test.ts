import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { withBrowser } from '../support/browser.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { eventually } from '../support/until.ts';

describe('a page of another origin', () => {
  const visit = withBrowser();
  const sites: Server[] = [];
  let namedOrigin: string;
  let unnamedOrigin: string;
  let open: Platform;
  let closed: Platform;

  beforeAll(async () => {
    [namedOrigin, unnamedOrigin] = await Promise.all([startSite(), startSite()]);
    open = await startPlatform({ env: { CORS_ORIGINS: namedOrigin } });
    closed = await startPlatform();
  });
  afterAll(() => {
    for (const site of sites) site.close();
  });

  test('reads an answer, and the headers of its limits, when CORS_ORIGINS names its origin', async () => {
    const answer = await readFrom(namedOrigin, open);
    expect(answer).toMatchObject({ status: 200, body: { id: open.firstRun.applicationId } });
    expect(answer.requestId).toMatch(/^\S{8,}$/);
    await eventually(() => expect(requestsOf(open, '/identity/me')).toEqual(['OPTIONS', 'GET']));
  });

  test('is told why it was refused when its origin is named', async () => {
    const answer = await readFrom(namedOrigin, open, { apiKey: 'svc_live_wrong', path: '/applications' });
    expect(answer).toMatchObject({ status: 401, body: { error: 'CREDENTIAL_INVALID' } });
  });

  test('reads nothing, and its request is never sent, when CORS_ORIGINS names another', async () => {
    const path = '/organizations';
    expect(await readFrom(unnamedOrigin, open, { path })).toEqual({ refused: 'TypeError' });
    await eventually(() => expect(requestsOf(open, path)).toEqual(['OPTIONS']));
  });

  test('reads nothing, and its request is never sent, when no origin is configured', async () => {
    expect(await readFrom(namedOrigin, closed)).toEqual({ refused: 'TypeError' });
    await eventually(() => expect(requestsOf(closed, '/identity/me')).toEqual(['OPTIONS']));
  });

  /** Serves an empty page, on a port and thus an origin of its own. */
  async function startSite(): Promise<string> {
    const site = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Another site</title>');
    });
    sites.push(site);
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  }

  /** What a script of that origin's page gets when it asks a platform whose key it has. */
  async function readFrom(
    origin: string,
    platform: Platform,
    { apiKey = platform.firstRun.apiKey, path = '/identity/me' } = {},
  ) {
    let answer: { status?: number; requestId?: string | null; body?: unknown; refused?: string } = {};
    await visit(async ({ page }) => {
      await page.goto(origin);
      answer = await page.evaluate(
        async ([url, authorization]) => {
          try {
            const response = await fetch(url!, { headers: { authorization: authorization! } });
            const requestId = response.headers.get('x-request-id');
            return { status: response.status, requestId, body: await response.json() };
          } catch (error) {
            return { refused: (error as Error).name };
          }
        },
        [platform.url + path, `Bearer ${apiKey}`],
      );
    });
    return answer;
  }
});

/** The methods of the requests that reached a platform's path, from its access log. */
function requestsOf(platform: Platform, path: string): unknown[] {
  return platform
    .log()
    .filter((line) => line.message === 'request' && line.path === path)
    .map(({ method }) => method);
}
