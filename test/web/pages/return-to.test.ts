import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { send } from '../../support/http.ts';
import {
  expectPage,
  expectRedirect,
  leavePageOf,
  mailedLink,
  newClientOrigin,
  newVisitor,
  visitorOf,
} from '../../support/pages.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { newUserClient } from '../../support/user-client.ts';

const at = (path: string, returnTo: string): string => `${path}?${new URLSearchParams({ return_to: returnTo })}`;
const login = '/self-service/login';
const logout = '/self-service/logout';
const recovery = '/self-service/recovery';
const registration = '/self-service/registration';
const newPassword = 'a new password for trying';

let client: Awaited<ReturnType<typeof newClientOrigin>>;
let target: string;
beforeAll(async () => {
  client = await newClientOrigin();
  target = `${client.origin}/cart?a=b#c`;
});

/** What a visit that is over answers, by every way there is to the end of one. */
const ends: [string, (returnTo: string) => Promise<Awaited<ReturnType<typeof send>>>][] = [
  [
    'a login',
    async (returnTo) => {
      const { email, password } = await newUserClient();
      return (await newVisitor()).postFrom(`${login}/browser`, at(login, returnTo), { email, password });
    },
  ],
  [
    'a login page of whoever is logged in',
    async (returnTo) => (await newVisitor((await newUserClient()).sessionToken)).get(at(`${login}/browser`, returnTo)),
  ],
  [
    'a registration page of whoever is logged in',
    async (returnTo) =>
      (await newVisitor((await newUserClient()).sessionToken)).get(at(`${registration}/browser`, returnTo)),
  ],
  [
    'a registration',
    async (returnTo) => {
      const visitor = await newVisitor();
      const email = `ada-${Math.random().toString(36).slice(2)}@example.com`;
      await visitor.postFrom(`${registration}/browser`, at(registration, returnTo), { email, password: newPassword });
      const link = await mailedLink(email, `${registration}/confirm`);
      return visitor.postFrom(link, link);
    },
  ],
  [
    'a recovery and the login after it',
    async (returnTo) => {
      const { email } = await newUserClient();
      const visitor = await newVisitor();
      await visitor.postFrom(`${recovery}/browser`, at(recovery, returnTo), { email });
      const link = await mailedLink(email, `${recovery}/reset`);
      const { headers } = await visitor.postFrom(link, link, { password: newPassword });
      expect(headers.location).toBe(`${at(`${login}/browser`, returnTo)}&notice=password-changed`);
      return visitor.postFrom(headers.location!, at(login, returnTo), { email, password: newPassword });
    },
  ],
  [
    'a logout',
    async (returnTo) =>
      (await newVisitor((await newUserClient()).sessionToken)).postFrom(`${logout}/browser`, at(logout, returnTo)),
  ],
  ['a logout page without a session', async (returnTo) => (await newVisitor()).get(at(`${logout}/browser`, returnTo))],
];

describe.each(ends)('%s', (_end, finish) => {
  test('leads to an origin that any organization registered by way of a page that asks', async () => {
    await client.trust(false);
    expectRedirect(await finish(target), leavePageOf(target));
  });

  test('leads to it at once where the operator trusts the organization', async () => {
    await client.trust(true);
    expectRedirect(await finish(target), target);
  });
});

describe('the page that asks before a browser leaves', () => {
  test('names the target, and leads there by a link', async () => {
    await client.trust(false);
    const visitor = await newVisitor();
    const page = await visitor.get(leavePageOf(target));
    expectPage(page, 200, /You are leaving this site.* Continue to https:/);
    expect(page.text).toContain(`<strong>${client.origin}</strong>`);
    expect(page.text).toContain(`<a class="btn primary" href="${target}" rel="noreferrer">`);
    expect(page.headers.location).toBeUndefined();
  });

  test('is passed once the operator trusts the organization, and asks again with the next request after that', async () => {
    const visitor = await newVisitor();
    for (const isTrusted of [true, false, true]) {
      await client.trust(isTrusted);
      const answer = await visitor.get(leavePageOf(target));
      if (isTrusted) expectRedirect(answer, target);
      else expectPage(answer, 200, /You are leaving this site/);
    }
  });

  test('does not lead where nobody registered', async () => {
    const visitor = await newVisitor();
    const { origin } = client;
    for (const address of [
      'https://evil.example/',
      '//evil.example/',
      `${origin}.evil.example/`,
      `${origin}@evil.example/`,
      origin.replace(':8443', ''),
      origin.replace(':8443', ':8444'),
      origin.replace('https:', 'http:'),
      origin.replace('https://', 'https://www.'),
      'javascript:alert(1)',
    ]) {
      const answer = await visitor.get(leavePageOf(address));
      expectPage(answer, 400, /address to return to/);
      expect(answer.text).not.toMatch(/href="[^"]*(?:evil|example|javascript)/);
    }
    expectPage(await visitor.get('/self-service/leave?return_to=/a&return_to=/b'), 400);
    expectRedirect(await visitor.get('/self-service/leave'), '/console');
    expectRedirect(await visitor.get(leavePageOf('/docs')), `${visitor.url}/docs`);
  });
});

describe('a platform', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'return-to-'));
  const env = { ALLOWED_ORIGINS: 'https://app.example, http://other.example:8080' };
  const target = 'https://first.example/after';
  let platform: Platform;

  beforeAll(async () => {
    platform = await startPlatform({ dataDir, env });
    const { status } = await send(platform.url, {
      method: 'POST',
      path: '/applications/first-app/oauth-client',
      headers: { authorization: `Bearer ${platform.firstRun.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        grantTypes: ['authorization_code'],
        redirectUris: ['https://first.example/cb'],
        scopes: ['openid'],
      }),
    });
    expect(status).toBe(201);
  });
  afterAll(async () => {
    await platform.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const leave = (address: string) => visitorOf(platform.url).get(leavePageOf(address));
  const changeFirst = async (change: object) =>
    withDatabase(await databaseUrlOf({ dataDir }), (database) =>
      database.collection('identity_organizations').updateOne({ slug: 'first' }, change),
    );
  const restart = async () => {
    await platform.stop();
    platform = await startPlatform({ dataDir, env });
  };

  test('lets browsers return to the origins that its operator allows, exactly', async () => {
    expectRedirect(await leave('https://app.example/welcome'), 'https://app.example/welcome');
    expectRedirect(await leave('http://other.example:8080/'), 'http://other.example:8080/');
    for (const address of ['http://app.example/', 'https://app.example:444/', 'https://www.app.example/'])
      expectPage(await leave(address), 400);
  });

  test('trusts its first organization from the start', async () => {
    expectRedirect(await leave(target), target);
  });

  test('trusts it too where the database is from before, and no more once the operator decided so', async () => {
    await changeFirst({ $unset: { isTrusted: '' } });
    expectPage(await leave(target), 200, /You are leaving/);
    await restart();
    expectRedirect(await leave(target), target);
    await changeFirst({ $set: { isTrusted: false } });
    await restart();
    expectPage(await leave(target), 200, /You are leaving/);
  });
});
