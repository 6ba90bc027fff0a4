import { beforeAll, describe, expect, test } from '@jest/globals';
import { newVisitor, type Visitor } from '../../support/pages.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { decodeEntities } from '../../support/user-agent.ts';

let visitor: Visitor;
beforeAll(async () => {
  visitor = await newVisitor();
});

const hrefsIn = (html: string) =>
  [...html.matchAll(/<a\b[^>]* href="([^"]+)"/g)].map(([, href]) => decodeEntities(href!));
const idsIn = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);

/** All pages of the documentation that links lead to, from its first page on, with their HTML. */
async function readAll(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const open = ['/docs'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue;
    const page = await visitor.get(path);
    expect({ path, status: page.status }).toEqual({ path, status: 200 });
    pages.set(path, page.text);
    for (const href of hrefsIn(page.text)) if (/^\/docs(?:\/|$|#)/.test(href)) open.push(href.split('#')[0]!);
  }
  return pages;
}

describe('the documentation', () => {
  test('has no link that leads nowhere, and the pages that the first steps of the console link to', async () => {
    const pages = await readAll();
    expect(pages.size).toBeGreaterThan(25);
    const ids = new Map([...pages].map(([path, html]) => [path, new Set(idsIn(html))]));
    const firstSteps = ['/docs/files', '/docs/mail', '/docs/api/context#context.events.create'];
    const links = [...pages].flatMap(([path, html]) => hrefsIn(html).map((href) => ({ path, href })));
    const all = [...links, ...firstSteps.map((href) => ({ path: 'the console', href }))];
    const dead = all.filter(({ path, href }) => {
      if (!/^(?:#|\/docs)/.test(href)) return false;
      const [target = '', id] = href.split('#');
      const found = ids.get(target === '' ? path : target);
      return !found || (id !== undefined && id !== 'main' && !found.has(id));
    });
    expect(dead).toEqual([]);
    const others = new Set(links.map(({ href }) => href).filter((href) => !/^(?:#|\/docs)/.test(href)));
    expect([...others].sort()).toEqual(['/console']);
    for (const html of pages.values()) expect(html).not.toMatch(/localhost:300[01]|ANSWER|\[object/);
  });

  test('describes every endpoint of /openapi.json once, each with a request in three languages', async () => {
    const { paths } = (await visitor.get('/openapi.json')).body as {
      paths: Record<string, Record<string, { tags: string[] }>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { tags }]) => ({ tag: tags[0]!, name: `${method.toUpperCase()} ${path}` })),
    );
    for (const [tag, expected] of Map.groupBy(operations, (one) => one.tag)) {
      const { text } = await visitor.get(`/docs/api/${tag}`);
      const shown = [...text.matchAll(/class="verb[^"]*">([A-Z]+)<\/span> <code>(?:https?:\/\/[^/<]*)?([^<]*)</g)];
      expect(shown.map(([, method, path]) => `${method} ${decodeEntities(path!)}`).sort()).toEqual(
        expected.map(({ name }) => name).sort(),
      );
      expect(text.match(/aria-label="Python"/g)).toHaveLength(expected.length);
    }
  });

  test('is searched without a script: pages, endpoints and codes of errors', async () => {
    const find = async (words: string) => {
      const page = await visitor.get(`/docs/search?${new URLSearchParams({ q: words })}`);
      expect(page.status).toBe(200);
      return { page, hrefs: hrefsIn(page.text.slice(page.text.indexOf('id="results"'))) };
    };
    expect((await find('presigned')).hrefs).toContain('/docs/files#sign-an-address');
    expect((await find('/v1/mail/send')).hrefs[0]).toBe('/docs/api/mail#mail.messages.send');
    expect((await find('PLAN_LIMIT_EXCEEDED')).hrefs.some((href) => href.startsWith('/docs/quotas'))).toBe(true);
    const none = await find('<b>zqxwv</b>');
    expect(none.page.text).toContain('No page has “&lt;b&gt;zqxwv&lt;/b&gt;”.');
    expect(none.page.text).toContain('value="&lt;b&gt;zqxwv&lt;/b&gt;"');
    expect((await visitor.get('/docs/search')).status).toBe(200);
    expect((await visitor.get('/docs/search?q=a&q=b')).status).toBe(200);
  });

  test('says that an unknown page is not there', async () => {
    for (const path of ['/docs/nothing', '/docs/api/nothing']) {
      expect(await visitor.get(path)).toMatchObject({ status: 404, text: expect.stringContaining('Page not found') });
    }
  });

  test('is in the chosen colours, compressed, and sent once to a browser that keeps it', async () => {
    const { url } = await sharedPlatform();
    const dark = await visitor.get('/docs/start', { cookie: 'platform_theme=dark' });
    expect(dark.text).toContain('data-theme="dark"');
    expect(dark.headers).toMatchObject({ vary: expect.stringMatching(/cookie/i) });
    const answer = await fetch(`${url}/docs/start`, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    const plain = await visitor.get('/docs/start');
    expect(await answer.text()).toBe(plain.text);
    expect(answer.headers.get('etag')).not.toBe(plain.headers.etag);
  });
});
