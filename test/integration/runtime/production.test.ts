import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { send } from '../../support/http.ts';
import { flowOf, newVisitor, visitorOf, wordsOf } from '../../support/pages.ts';
import { type Platform, startNode, startPlatform } from '../../support/platform.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';

const production = { NODE_ENV: 'production' };
const off = { SMTP_URL: 'none', PAYMENT_PROVIDER: 'none' };

/** Starts a process that is to end by itself, and gives what it said. */
async function refusalOf(env: Record<string, string>, services: string[] = []): Promise<string> {
  const node = startNode({ env, services });
  expect(await node.exited).toBe(1);
  return node.output();
}

describe('where others are served a start', () => {
  test('fails without mail and payments, and names the variables of both at once', async () => {
    const output = await refusalOf(production);
    expect(output).toMatch(/SMTP_URL must be set .*smtps:\/\/.* or to none/);
    expect(output).toMatch(/PAYMENT_PROVIDER must be set .*STRIPE_SECRET_KEY .*PAYMENT_PROVIDER=none/);
    expect(output).not.toContain('listening');
  });

  test('of a node asks for what its own services need', async () => {
    expect(await refusalOf(production, ['mail'])).not.toMatch(/PAYMENT_PROVIDER must/);
    expect(await refusalOf(production, ['billing'])).not.toMatch(/SMTP_URL must/);
    expect(await refusalOf({ ...production, DEV_MAILBOX: 'yes' }, ['gateway'])).toMatch(/^DEV_MAILBOX must not be yes/);
  });
});

describe('a platform in production with mail and payments turned off', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'production-'));
  let platform: Platform;
  let SECRET_KEY: string;

  beforeAll(async () => {
    // Of the platform that tests share, so that its forms are good here too.
    SECRET_KEY = readFileSync(join((await sharedPlatform()).dataDir, 'secret-key'), 'utf8').trim();
    platform = await startPlatform({ dataDir, env: { ...production, ...off, SECRET_KEY } });
  });
  afterAll(async () => {
    await platform?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const credentials = () => ({
    authorization: `Bearer ${platform.firstRun.apiKey}`,
    'content-type': 'application/json',
  });
  const post = (path: string, body: object) =>
    send<{ error: string }>(platform.url, {
      method: 'POST',
      path,
      headers: credentials(),
      body: JSON.stringify(body),
    });

  test('says where the first credentials are, and prints none of them', () => {
    const file = join(dataDir, 'first-run.json');
    expect(platform.output()).toContain(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { adminPassword, apiKey } = platform.firstRun;
    for (const secret of [adminPassword, apiKey]) {
      expect(secret).toMatch(/.{8}/);
      expect(platform.output()).not.toContain(secret);
    }
  });

  test('has no mailbox, so that nobody recovers the account of its owner', async () => {
    const unknown = await send(platform.url, { path: '/no/such' });
    const mailbox = await send(platform.url, { path: '/dev/mailbox' });
    expect(mailbox.status).toBe(404);
    const shape = ({ text }: { text: string }) => text.replace(/req_\w+/, '').replace('/dev/mailbox', '/no/such');
    expect(shape(mailbox)).toBe(shape(unknown));
  });

  test.each(['registration', 'recovery'])('says on the page of a %s that mail is turned off', async (flow) => {
    const visitor = visitorOf(platform.url);
    const page = await visitor.get(`/self-service/${flow}/browser`);
    expect({ status: page.status, words: wordsOf(page) }).toEqual({
      status: 503,
      words: expect.stringMatching(/Email is turned off/),
    });
    expect(page.headers['retry-after']).toBe('3600');
  });

  test.each(['registration', 'recovery'])('takes no form of a %s that was shown while mail was on', async (flow) => {
    const showing = await newVisitor();
    const form = flowOf(await showing.get(`/self-service/${flow}/browser`));
    const visitor = visitorOf(platform.url);
    for (const [name, value] of showing.cookies) visitor.cookies.set(name, value);
    const password = 'correct horse battery staple';
    const typed = { flow: form, email: platform.firstRun.adminEmail, ...(flow === 'registration' && { password }) };
    const answer = await visitor.post(`/self-service/${flow}`, typed);
    expect({ status: answer.status, words: wordsOf(answer) }).toEqual({
      status: 503,
      words: expect.stringMatching(/Email is turned off/),
    });
    const stored = await withDatabase(await databaseUrlOf({ dataDir }), (database) =>
      Promise.all(
        ['identity_mailed_tokens', 'mail_messages'].map((name) => database.collection(name).countDocuments()),
      ),
    );
    expect(stored).toEqual([0, 0]);
  });

  test('refuses to invite with an error of the catalogue, and keeps no invitation', async () => {
    const path = '/organizations/first/invitations';
    expect(await post(path, { email: 'ada@example.com', role: 'member' })).toMatchObject({
      status: 503,
      body: { error: 'MAIL_DISABLED', message: expect.stringMatching(/turned off/) },
    });
    const { body } = await send<{ data: object[] }>(platform.url, { path, headers: credentials() });
    expect(body.data).toEqual([]);
  });

  test('refuses a checkout with an error of the catalogue, and serves the rest of billing', async () => {
    const { orgId } = platform.firstRun;
    const back = `${platform.url}/console/billing`;
    const wish = { plan: 'pro', billingCycle: 'monthly', successUrl: back, cancelUrl: back };
    expect(await post(`/v1/orgs/${orgId}/checkout`, wish)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '3600' },
      body: { error: 'PAYMENTS_DISABLED', message: expect.stringMatching(/turned off/) },
    });
    for (const path of ['subscription', 'entitlements', 'usage', 'invoices']) {
      const { status } = await send(platform.url, { path: `/v1/orgs/${orgId}/${path}`, headers: credentials() });
      expect({ path, status }).toEqual({ path, status: 200 });
    }
  });

  test('shows the plans to its owner without buttons to buy them', async () => {
    const { adminEmail, adminPassword, orgSlug } = platform.firstRun;
    const visitor = visitorOf(platform.url);
    await visitor.postFrom('/self-service/login/browser', '/self-service/login', {
      email: adminEmail,
      password: adminPassword,
    });
    const page = await visitor.get(`/console/${orgSlug}/usage`);
    expect(page.status).toBe(200);
    expect(wordsOf(page)).toMatch(/Pro .*€49 a month.*This platform does not accept payments/s);
    expect(page.text).not.toMatch(/action="[^"]*\/checkout"|Upgrade/);
  });

  test('lets its owner log in and change the password although no notice of it can be mailed', async () => {
    const { adminEmail, adminPassword } = platform.firstRun;
    const visitor = visitorOf(platform.url);
    const login = { email: adminEmail, password: adminPassword };
    expect((await visitor.postFrom('/self-service/login/browser', '/self-service/login', login)).status).toBe(303);
    const change = { currentPassword: adminPassword, newPassword: 'a better one than before' };
    const { status, headers } = await visitor.postFrom('/account/password', '/account/password', change);
    expect({ status, location: headers.location }).toEqual({ status: 303, location: '/account/password?done=changed' });
    expect(platform.log().filter(({ level }) => level === 'error')).toEqual([]);
  });
});
