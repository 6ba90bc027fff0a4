import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Action } from '../../../lib/contract/define-action.ts';
import { findServices, readService } from '../../../runtime/load-service.ts';
import { anyCodePoint } from '../../support/code-points.ts';
import { expectPage, flowOf, newVisitor, type Visitor, visitorOf } from '../../support/pages.ts';
import { type Platform, startNode, startPlatform, urlOf } from '../../support/platform.ts';
import { newUserClient } from '../../support/user-client.ts';

/** The text of a file of all pages, which is of this type, below so many bytes, and kept by browsers. */
async function readAsset(visitor: Visitor, href: string, type: string, maxBytes: number): Promise<string> {
  const { status, headers, text } = await visitor.get(href);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': type,
    'cache-control': 'public, max-age=86400',
    'x-content-type-options': 'nosniff',
  });
  expect(Buffer.byteLength(text)).toBeLessThan(maxBytes);
  return text;
}

describe('every page', () => {
  test('loads at most 120 KB, compressed and kept by browsers', async () => {
    const visitor = await newVisitor((await newUserClient()).sessionToken);
    const { text } = await visitor.get('/account');
    const loaded = text.matchAll(/(?:href|src)="(\/self-service\/[^"#]*[?]v=[^"#]*)/g);
    const addresses = [...new Set([...loaded].map(([, address]) => address!))];
    expect(addresses.map((address) => address.split('?')[0]).toSorted()).toEqual([
      '/self-service/console.js',
      '/self-service/icons.svg',
      '/self-service/noto-sans.woff2',
      '/self-service/screens.css',
      '/self-service/style.css',
    ]);
    let bytes = gzipSync(text).length;
    for (const address of addresses) {
      const answer = await fetch(visitor.url + address);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=86400');
      bytes += Number(answer.headers.get('content-length'));
    }
    expect(bytes).toBeLessThan(120_000);
  });

  test('has a style sheet that loads nothing from elsewhere', async () => {
    const visitor = await newVisitor();
    const page = await visitor.get('/self-service/login/browser');
    const [, href] = /<link rel="stylesheet" href="([^"]*)">/.exec(page.text)!;
    const style = await readAsset(visitor, href!, 'text/css; charset=utf-8', 70 * 1024);
    expect(style).not.toMatch(/@import|url\((?!"\/self-service\/)/);
  });

  test.each(['confirm', 'copy'])(
    'can have the script %s, whose types are removed, small and kept by browsers',
    async (name) => {
      const visitor = await newVisitor();
      const gallery = await visitor.get('/dev/gallery');
      const href = new RegExp(`src="(/self-service/${name}\\.js[?]v=[^"]*)"`).exec(gallery.text)![1]!;
      const script = await readAsset(visitor, href, 'text/javascript; charset=utf-8', 2 * 1024);
      expect(script).not.toMatch(/: HTML|: void|<HTML/);
    },
  );
});

describe('whatever is sent to a page', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCodePoint, maxLength: 40 }),
    fc.constantFrom('', '\u0000', '../..', '%00', '{}', '-1'),
  );
  const names = [
    'email',
    'password',
    'token',
    'flow',
    'return_to',
    'act',
    'contactId',
    'addressId',
    'type',
    'value',
    'edit',
    'orgId',
    'plan',
    'billingCycle',
    'currency',
    'reason',
    'cursor',
    'siteId',
    'tenantId',
    'status',
    'assignee',
    'assigneeId',
    'text',
    'kind',
    'echoId',
    'userId',
    'name',
    'after',
    'before',
    'search',
    'sort',
    'order',
    'permission',
    'role',
    'sessionId',
  ];
  const fields = fc.dictionary(fc.oneof(fc.constantFrom(...names), text), text, { maxKeys: 6 });

  test.each([['a stranger'], ['a user']])(
    'by %s is answered with a page or a redirect, never with a fault',
    async (who) => {
      const routes = await findRoutes();
      const { sessionToken } = await newUserClient();
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...routes),
          fields,
          fields,
          fc.boolean(),
          async ([method, path], query, form, raw) => {
            const visitor = await newVisitor(who === 'a user' ? sessionToken : undefined);
            const flow = await flowFor(visitor, path);
            const address = `${path}?${new URLSearchParams(query)}`;
            const answer =
              method === 'GET'
                ? await visitor.get(address)
                : await visitor.post(address, raw ? form : { ...form, flow });
            expect(answer.status).toBeLessThan(500);
            if (answer.status === 303) expect(answer.headers.location).toMatch(/^\/(?!\/)/);
            else if (path !== '/' && !/\.(?:css|js)$|^\/widget\/frame$/.test(path)) expectPage(answer, answer.status);
          },
        ),
        { numRuns: 250, endOnFailure: true },
      );
    },
  );
});

/** The pages that services bring, beside what the gateway itself has for browsers. */
async function findRoutes(): Promise<[method: string, path: string][]> {
  const schemas = await Promise.all([...(await findServices()).values()].map((file) => readService(file)));
  const actions = schemas.flatMap(({ actions = {} }) => Object.values(actions) as Partial<Action>[]);
  const pages = actions.filter(({ contract }) => contract?.answers === 'html' && !contract.thisMachineOnly);
  return [
    ['GET', '/'],
    ['GET', '/self-service/style.css'],
    ['GET', '/self-service/copy.js'],
    ...pages.flatMap(({ rest }): [string, string][] => (rest ? [[rest.method, rest.fullPath]] : [])),
  ];
}

/** A token that lets a post to this path pass on to what it says, where a form that leads there can be had. */
async function flowFor(visitor: Visitor, path: string): Promise<string> {
  const [, first, second] = path.split('/');
  const form = first === 'account' ? `/account/${second ?? ''}` : `/${first}/${second}/browser`;
  const pages = [form, `${path}?token=AAAAAAAAAAAAAAAAAAAAAA`, '/self-service/recovery/browser'];
  for (const each of pages) {
    const page = await visitor.get(each);
    if (page.text.includes('name="flow"')) return flowOf(page);
  }
  throw new Error(`No form for ${path}`);
}

describe('where requests are limited', () => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await startPlatform({ env: { RATE_LIMIT_RPS: '3' } });
  });
  afterAll(() => platform.stop());

  test('too many posts are refused with a page that says so', async () => {
    const visitor = visitorOf(platform.url);
    const flow = flowOf(await visitor.get('/self-service/login/browser'));
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => visitor.post('/self-service/login', { flow, email: '', password: '' })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(5);
    for (const answer of refused) expectPage(answer, 429, /Wait a moment/);
    expect(refused[0]!.headers['retry-after']).toBe('1');
  });
});

describe('where the service is missing', () => {
  test('a page says to try again in a moment', async () => {
    const node = startNode({ services: ['gateway'], env: { NATS_URL: '', PORT: '0' } });
    const visitor = visitorOf(await urlOf(node));
    const page = await visitor.get('/self-service/login/browser?return_to=/account', { accept: 'text/html' });
    expectPage(page, 503, /Try again in a moment.*with the request ID req_/);
    expect(page.headers['retry-after']).toBe('1');
    expect(node.output()).not.toContain('A request failed');
    await node.stop();
  });
});

describe('several gateways', () => {
  test('take the forms that another of them showed, and those of no other platform', async () => {
    const env = { PUBLIC_URL: 'https://localhost:8443', SECRET_KEY: 'the secret key of all the gateways of a pool' };
    const foreign = { ...env, SECRET_KEY: 'the secret key of the gateway of another pool' };
    const platforms = await Promise.all([env, env, foreign].map((each) => startPlatform({ env: each })));
    const [showing, taking, other] = platforms.map(({ url }) => visitorOf(url));
    const flow = flowOf(await showing!.get('/self-service/login/browser'));
    const post = (visitor: Visitor) => {
      for (const [name, value] of showing!.cookies) visitor.cookies.set(name, value);
      return visitor.post('/self-service/login', { flow, email: 'a', password: '' }, { origin: env.PUBLIC_URL });
    };
    expectPage(await post(taking!), 400, /Enter your password/);
    expectPage(await post(other!), 400, /open for too long/);
    expect([...showing!.cookies.keys()]).toEqual(['__Host-platform_browser']);
    await Promise.all(platforms.map((platform) => platform.stop()));
  });
});
