import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { contrast } from '../../../web/theme.ts';
import { red, solid } from '../../integration/storage/images/test-images.ts';
import { authorize, newBrowser, newOAuthClient } from '../../support/oauth.ts';
import { expectPage, mailedLink, newVisitor, type Visitor } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf } from '../../support/tenants.ts';
import { newUserClient } from '../../support/user-client.ts';

/** The brand of an organization on pages of people who come from outside. */

const color = '#ffee00';
let visitor: Visitor;
beforeAll(async () => {
  visitor = await newVisitor();
});

/** Gives an organization a logo and a colour; returns the source of the logo on pages. */
async function giveBrand(orgId: string): Promise<string> {
  const owner = await newUserClient({ orgId });
  const path = { slug: slugOf(orgId) };
  await owner.call('identity.organizations.update', { path, body: { brand: { color } } });
  const image = await solid(40, 20, red).png().toBuffer();
  const { brand } = await owner.call('identity.logo.update', { path, body: image as never });
  return new URL(brand!.logoUrl!).pathname;
}

function expectBranded(text: string, source: string, name: string): void {
  expect(text).toContain(`<div class="branded"><img src="${source}" alt=""><p><b class="clip"><bdi>${name}</bdi></b>`);
  expect(text).toContain('<span>on Platform</span>');
  expect(text).toContain('<link rel="stylesheet" href="/self-service/accents/ffee00.css">');
  // The platform's brand stays at the head, and in the title.
  expect(text).toMatch(
    /<header><a class="brandmark" href="\/console"><svg class="mark".*<\/svg>Platform<\/a><\/header>/,
  );
  expect(text).toMatch(/<title>[^<]* · Platform<\/title>/);
}

describe('the brand of an organization', () => {
  test('is on the pages of login and registration that its client leads to, also after a refusal', async () => {
    const client = await newOAuthClient();
    const source = await giveBrand(client.orgId);
    const query = `?client_id=${client.clientId}`;
    const login = await visitor.get(`/self-service/login/browser${query}`);
    expectPage(login, 200, /on Platform Log in .*to continue to/);
    expectBranded(login.text, source, 'Organization of a test');
    const refused = await visitor.postFrom(`/self-service/login/browser${query}`, '/self-service/login', {
      email: 'nobody@example.com',
      password: 'a wrong one',
    });
    expectPage(refused, 400);
    expectBranded(refused.text, source, 'Organization of a test');
    const [, registration] = /href="(\/self-service\/registration\/browser[^"]*)"/.exec(login.text)!;
    expect(registration).toBe(`/self-service/registration/browser${query}`);
    const form = await visitor.get(registration!);
    expectPage(form, 200);
    expectBranded(form.text, source, 'Organization of a test');
    expect(form.text).toContain(`href="/self-service/login/browser${query}"`);
    const again = await visitor.postFrom(registration!, '/self-service/registration', { email: '', password: '' });
    expectPage(again, 400);
    expectBranded(again.text, source, 'Organization of a test');
  });

  test('is its name and its colour where it has no logo', async () => {
    const client = await newOAuthClient();
    const owner = await newUserClient({ orgId: client.orgId });
    const path = { slug: slugOf(client.orgId) };
    await owner.call('identity.organizations.update', { path, body: { brand: { color } } });
    const { text } = await visitor.get(`/self-service/login/browser?client_id=${client.clientId}`);
    expect(text).toContain('<div class="branded"><p><b class="clip"><bdi>Organization of a test</bdi></b>');
    expect(text).toContain('/self-service/accents/ffee00.css');
  });

  test('is on the pages of consent and of the choice of an account', async () => {
    const client = await newOAuthClient();
    const source = await giveBrand(client.orgId);
    const { browser } = await newBrowser(client);
    for (const [asked, words] of [
      [{}, /Allow Application of a test to access your account/],
      [{ prompt: 'select_account' }, /Choose an account/],
    ] as const) {
      const { answer } = await authorize(browser, client, asked, 'look');
      expectPage(answer, 200, words);
      expectBranded(answer.text, source, 'Organization of a test');
    }
  });

  test('is on neither without the client, with an unknown one, or with one that is no id', async () => {
    for (const page of ['login', 'registration']) {
      for (const query of [
        '',
        '?client_id=cli_00000000000000000000000000',
        '?client_id=%3Cb%3E',
        '?client_id=a&client_id=b',
      ]) {
        const { status, text } = await visitor.get(`/self-service/${page}/browser${query}`);
        expect({ page, query, status, isBranded: /class="branded"|accents/.test(text) }).toEqual({
          page,
          query,
          status: 200,
          isBranded: false,
        });
      }
    }
  });

  test('is on the page and in the mail of an invitation', async () => {
    const tenant = await newTenantClient();
    const source = await giveBrand(tenant.orgId);
    const email = `${randomBytes(8).toString('hex')}@example.com`;
    await tenant.call('identity.invitations.create', {
      path: { slug: slugOf(tenant.orgId) },
      body: { email, role: 'member' },
    });
    const link = await mailedLink(email, '/self-service/invitations/accept');
    const shown = await visitor.get(link);
    expectPage(shown, 200, /on Platform Join Organization of a test/);
    expectBranded(shown.text, source, 'Organization of a test');
    const user = await newUserClient({ email });
    const theirs = await (await newVisitor(user.sessionToken)).get(link);
    expectBranded(theirs.text, source, 'Organization of a test');
  });
});

describe('the style sheet of a colour', () => {
  test('has colours of its hue that can be read in both modes', async () => {
    const { status, headers, text } = await visitor.get('/self-service/accents/ffee00.css');
    expect([status, headers['content-type']]).toEqual([200, 'text/css; charset=utf-8']);
    expect(headers).toMatchObject({ 'cache-control': 'public, max-age=86400', 'x-content-type-options': 'nosniff' });
    const [, light, dark] = /--accent:light-dark\((#[0-9a-f]{6}),(#[0-9a-f]{6})\)/.exec(text)!;
    const [, fill] = /--fill:light-dark\((#[0-9a-f]{6}),/.exec(text)!;
    expect(dark).toBe('#ffee00');
    expect(contrast(light!, '#ffffff')).toBeGreaterThanOrEqual(4.5);
    expect(contrast(fill!, '#ffffff')).toBeGreaterThanOrEqual(4.5);
  });

  test.each(['ffee00', 'FFEE00.css', 'ffee0.css', 'ffee000.css', '%3B%7D.css', 'ffee00.css.css'])(
    'is not at %s',
    async (name) => {
      expect((await visitor.get(`/self-service/accents/${name}`)).status).toBe(404);
    },
  );
});
