import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { withBrowser } from '../../support/browser.ts';
import { createOAuthClient } from '../../support/oauth-database-client.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { createTenant, databaseUrlOf } from '../../support/tenants.ts';
import { createUser, type User } from '../../support/user-client.ts';

const folder = dirname(createRequire(import.meta.url).resolve('oidc-client-ts/package.json'));
const library = readFileSync(join(folder, 'dist', 'browser', 'oidc-client-ts.min.js'));

type Outcome = { profile: Record<string, unknown>; me: Record<string, unknown>; renewed: boolean; error?: string };

/** A single-page app on another origin, with no secret: PKCE, tokens by CORS, a refresh token that rotates. */
describe('a page with oidc-client-ts on another origin', () => {
  const visit = withBrowser();
  let platform: Platform;
  let site: Server;
  let origin: string;
  let clientId: string;
  let user: User;

  beforeAll(async () => {
    site = createServer((request, response) => {
      if (request.url === '/oidc-client-ts.js') {
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(library);
        return;
      }
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(platform.url, clientId));
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    platform = await startPlatform({ env: { CORS_ORIGINS: origin } });
    const databaseUrl = await databaseUrlOf(platform);
    user = await createUser(databaseUrl);
    ({ clientId } = await createOAuthClient(databaseUrl, await createTenant(databaseUrl), {
      redirectUris: [`${origin}/callback`],
      postLogoutRedirectUris: [`${origin}/left`],
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      tokenEndpointAuthMethod: 'none',
    }));
  });
  afterAll(() => void site.close());

  test('logs in, reads the profile and the API, renews its tokens and logs out', async () => {
    await visit(async ({ page, complaints }) => {
      await page.goto(`${origin}/start`);
      await page.fill('input[name=email]', user.email);
      await page.fill('input[name=password]', user.password);
      await page.press('input[name=password]', 'Enter');
      await page.getByRole('button', { name: /^Allow/ }).click();
      await page.waitForURL(/\/callback\?/);
      const outcome: Outcome = JSON.parse((await page.locator('#outcome').textContent())!);
      expect(outcome).toMatchObject({
        profile: { sub: user.userId, email: user.email, email_verified: true },
        me: { type: 'user', id: user.userId, email: user.email, organizations: [] },
        renewed: true,
      });
      await page.goto(`${origin}/leave`);
      await page.getByRole('button', { name: /log out/i }).click();
      await page.waitForURL(/\/left/);
      await page.goto(`${platform.url}/account`);
      expect(page.url()).toContain('/self-service/login/browser');
      expect(complaints).toEqual([]);
    });
  });
});

/** What the page does depends on its path: begin, come back, leave. */
function pageOf(platformUrl: string, clientId: string): string {
  const settings = {
    authority: `${platformUrl}/oauth2`,
    client_id: clientId,
    scope: 'openid profile email offline_access',
  };
  return `<!doctype html><html lang="en"><title>An app</title><link rel="icon" href="data:,">
<script src="/oidc-client-ts.js"></script>
<script>
  const manager = new oidc.UserManager({
    ...${JSON.stringify(settings)},
    redirect_uri: location.origin + '/callback',
    post_logout_redirect_uri: location.origin + '/left',
    loadUserInfo: true,
    automaticSilentRenew: false,
    userStore: new oidc.WebStorageStateStore({ store: window.sessionStorage }),
  });
  async function comeBack() {
    const user = await manager.signinCallback();
    const headers = { authorization: 'Bearer ' + user.access_token };
    const me = await (await fetch('${platformUrl}/identity/me', { headers })).json();
    const next = await manager.signinSilent();
    const renewed = next.access_token !== user.access_token && next.refresh_token !== user.refresh_token;
    return { profile: user.profile, me, renewed };
  }
  function show(outcome) {
    const place = document.createElement('pre');
    place.id = 'outcome';
    place.textContent = JSON.stringify(outcome);
    document.documentElement.append(place);
  }
  if (location.pathname === '/start') manager.signinRedirect();
  if (location.pathname === '/callback') comeBack().then(show, (error) => show({ error: String(error) }));
  if (location.pathname === '/leave') manager.signoutRedirect();
</script></html>`;
}
