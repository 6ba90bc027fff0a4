import { describe, expect, test } from '@jest/globals';
import { send } from '../../support/http.ts';
import { expectPage, expectRedirect, newVisitor, visitorOf } from '../../support/pages.ts';
import { startPlatform } from '../../support/platform.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient } from '../../support/user-client.ts';

const browser = { accept: 'text/html,application/xhtml+xml' };
const register = 'href="/self-service/registration/browser"';

describe('the address of the platform', () => {
  test('shows a browser what the platform is, with the ways in and a request that works', async () => {
    const visitor = await newVisitor();
    const page = await visitor.get('/', browser);
    expectPage(page, 200, /one API .*Log in Create account .*Console .*Documentation .*API reference .*Services/);
    expect(page.headers.vary).toBe('Accept');
    expect(page.text).toContain('href="/self-service/login/browser"');
    expect(page.text).toContain(register);
    const links = [...page.text.matchAll(/href="(\/(?:docs|openapi|oauth2)[^"#]*)"/g)].map(([, path]) => path!);
    expect(links).toEqual(expect.arrayContaining(['/docs', '/docs/api', '/docs/api/identity', '/openapi.json']));
    for (const path of new Set(links)) expect([path, (await visitor.get(path)).status]).toEqual([path, 200]);
    const [curl, shown] = [...page.text.matchAll(/<pre[^>]*>([\s\S]*?)<\/pre>/g)].map(([, code]) => textOf(code!));
    const [, address] = /^curl -sS (\S+)$/.exec(curl!)!;
    expect(await (await fetch(address!)).json()).toEqual(JSON.parse(shown!));
  });

  test('gives a program the addresses that it needs first', async () => {
    const { url } = await newVisitor();
    const answer = await send<Record<string, string>>(url, { path: '/', headers: { accept: '*/*' } });
    expect([answer.status, answer.headers.vary]).toEqual([200, 'Accept']);
    const { name, storage, ...addresses } = answer.body;
    expect(name).toBe('Platform');
    expect(storage).toMatch(/^http/);
    expect(Object.keys(addresses)).toEqual(['console', 'docs', 'openapi', 'openid', 'health']);
    for (const address of Object.values(addresses)) expect((await fetch(address)).status).toBe(200);
    const again = await send(url, { path: '/', headers: { 'if-none-match': String(answer.headers.etag) } });
    expect(again.status).toBe(304);
  });

  test('leads a user who is logged in to the console, and nobody else', async () => {
    const user = await newUserClient();
    expectRedirect(await (await newVisitor(user.sessionToken)).get('/', browser), '/console');
    for (const token of ['x', '', `${user.sessionToken}x`]) {
      expectPage(await (await newVisitor(token)).get('/', browser), 200, /Log in/);
    }
  });

  test('has the colours that the visitor chose', async () => {
    const visitor = await newVisitor();
    visitor.cookies.set('platform_theme', 'dark');
    expect((await visitor.get('/', browser)).text).toContain('<html lang="en" data-theme="dark">');
    visitor.cookies.set('platform_theme', '"><i>');
    expect((await visitor.get('/', browser)).text).toContain('<html lang="en">');
  });

  test('has the name of the operator, and offers no account where none can be created', async () => {
    const env = { BRAND_NAME: 'Acme <b>', SMTP_URL: 'none' };
    const platform = await startPlatform({ env });
    const page = await visitorOf(platform.url).get('/', browser);
    expectPage(page, 200, /Acme <b> has logins .*New accounts cannot be created here now/);
    expect(page.text).not.toContain('<b>has');
    expect(page.text).not.toContain(register);
    await platform.stop();
  });
});

const textOf = (code: string): string => decodeEntities(code.replace(/<[^>]*>/g, ''));
