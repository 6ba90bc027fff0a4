import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectPage, expectRedirect, flowOf, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient } from '../../support/user-client.ts';

let tenant: Awaited<ReturnType<typeof newTenantClient>>;
let browser: Visitor;
let list: string;
let page: string;

beforeAll(async () => {
  tenant = await newTenantClient();
  browser = await newVisitor((await newUserClient({ orgId: tenant.orgId })).sessionToken);
  list = `/console/${slugOf(tenant.orgId)}/applications`;
  page = `${list}/${slugOf(tenant.applicationId)}`;
});

const keysOf = async (id = tenant.applicationId) =>
  (await tenant.call('identity.api-keys.list', { path: { id }, query: { limit: '100' } })).data;
const secretIn = (text: string, id: string): string | undefined => new RegExp(` id="${id}">([^<]*)<`).exec(text)?.[1];
const newKey = (fields: Record<string, string>) => browser.postFrom(`${page}/keys/new`, `${page}/keys/new`, fields);
const client = {
  tokenEndpointAuthMethod: 'client_secret_basic',
  redirectUris: 'https://shop.example/callback\nhttp://localhost:4000/callback',
  postLogoutRedirectUris: '',
  'grantTypes.authorization_code': 'on',
  'scopes.openid': 'on',
};
const saveClient = (fields: Record<string, string>) => browser.postFrom(`${page}/client`, `${page}/client`, fields);

describe('the applications of an organization', () => {
  test('are listed with their keys, and lead to their pages', async () => {
    const shown = await browser.get(list);
    expectPage(shown, 200, /Applications .* Application of a test .* 1 key/);
    expect(shown.text).toContain(`href="${page}"`);
  });

  test('say in a sentence when a key was last used, also in German', async () => {
    expect((await tenant.send('GET', '/identity/me')).status).toBe(200);
    await until(async () => (await keysOf())[0]!.lastUsedAt !== null);
    const { text } = await browser.get(page, { 'accept-language': 'de' });
    expect(text).toMatch(/Zuletzt verwendet: <time [^>]*>(?:vor|jetzt) ?/);
    await tenant.call('identity.api-keys.create', {
      path: { id: tenant.applicationId },
      body: { name: 'Not used', scopes: ['mail.read'] },
    });
    expect((await browser.get(page)).text).toContain('>Never used</span>');
  });

  test('are created with a slug of their name, whatever the name holds', async () => {
    const name = '<b>Café</b> ‮😀 مطبعة';
    const answer = await browser.postFrom(`${list}/new`, `${list}/new`, { name, slug: '', description: '<i>' });
    expectRedirect(answer, `${list}/b-cafe-b?done=created`);
    const shown = await browser.get(`${list}/b-cafe-b?done=created`);
    expectPage(shown, 200, /Application created/);
    expect(wordsOf(shown)).toContain(name);
    expect(shown.text).not.toContain('<b>Café');
  });

  test('of a name that another organization uses have the slug of the organization in theirs', async () => {
    const other = await newTenantClient();
    await other.call('identity.applications.create', {
      body: { name: 'Billing job', slug: `job-${other.orgId.slice(-12)}` },
    });
    const name = `Job ${other.orgId.slice(-12)}`;
    const answer = await browser.postFrom(`${list}/new`, `${list}/new`, { name, slug: '', description: '' });
    expectRedirect(answer, `${list}/${slugOf(tenant.orgId)}-job-${other.orgId.slice(-12)}?done=created`);
  });

  test('are refused without a name, and with a slug that is taken or malformed; what was typed stays', async () => {
    const before = (await tenant.call('identity.applications.list', { query: {} })).data.length;
    const refusals = [
      [{ name: ' ', slug: 'x', description: 'Kept' }, 400, /Enter a name/],
      [{ name: 'مطبعة', slug: '', description: 'Kept' }, 400, /Enter a slug/],
      [{ name: 'x', slug: 'No Slug', description: 'Kept' }, 400, /lower-case letters/],
      [{ name: 'x', slug: slugOf(tenant.applicationId), description: 'Kept' }, 409, /slug is taken/],
    ] as const;
    for (const [fields, status, words] of refusals) {
      const answer = await browser.postFrom(`${list}/new`, `${list}/new`, fields);
      expectPage(answer, status, words);
      expect(answer.text).toContain('Kept');
    }
    expect((await tenant.call('identity.applications.list', { query: {} })).data).toHaveLength(before);
  });

  test('are renamed, and deleted only when the slug is entered', async () => {
    const { slug, id } = await tenant.call('identity.applications.create', {
      body: { name: 'Old', slug: slugOf(`${tenant.orgId}-x`).slice(-40) },
    });
    const settings = `${list}/${slug}/settings`;
    expectPage(await browser.postFrom(settings, settings, { name: '', description: '' }), 400, /Enter a name/);
    expectRedirect(
      await browser.postFrom(settings, settings, { name: 'New', description: 'd' }),
      `${settings}?done=saved`,
    );
    expect(await tenant.call('identity.applications.read', { path: { slug } })).toMatchObject({
      name: 'New',
      description: 'd',
    });
    const wrong = await browser.postFrom(settings, `${settings}/delete`, { confirm: 'another' });
    expectPage(wrong, 400, new RegExp(`Enter ${slug} exactly`));
    expect(await tenant.call('identity.applications.read', { path: { slug } })).toMatchObject({ id });
    expectRedirect(await browser.postFrom(settings, `${settings}/delete`, { confirm: slug }), `${list}?done=deleted`);
    expect((await browser.get(`${list}/${slug}`)).status).toBe(404);
  });
});

describe('an API key', () => {
  test('is created with the chosen scopes, works, and is shown once, also when the form is sent again', async () => {
    const flow = flowOf(await browser.get(`${page}/keys/new`));
    const fields = {
      flow,
      name: '<b>Worker</b>',
      expires: '90',
      day: '',
      'scopes.mail.send': 'on',
      'scopes.access.check': 'on',
    };
    const answer = await browser.post(`${page}/keys/new`, fields);
    expectPage(answer, 200, /Copy the key now\. It is shown once\./);
    const token = secretIn(answer.text, 'api-key')!;
    expect(await tenant.call('identity.me.read', {}, { authorization: `Bearer ${token}` })).toMatchObject({
      type: 'application',
    });
    const [key] = await keysOf();
    expect(key).toMatchObject({ name: '<b>Worker</b>', expiresAt: expect.stringMatching(/T23:59:59\.999Z$/) });
    expect(key!.scopes.toSorted()).toEqual(['access.check', 'mail.send']);
    const again = await browser.post(`${page}/keys/new`, fields);
    expect(secretIn(again.text, 'api-key')).toBe(token);
    expect((await keysOf()).filter(({ name }) => name === '<b>Worker</b>')).toHaveLength(1);
    const shown = await browser.get(page);
    expect(shown.text).not.toContain(token);
    expect(wordsOf(shown)).toContain('<b>Worker</b>');
  });

  test('is refused without a name or a scope, and with a date that is none, is past, or is missing', async () => {
    const before = await keysOf();
    const valid = { name: 'Refused', expires: '30', day: '', 'scopes.mail.send': 'on' };
    const { 'scopes.mail.send': _, ...unscoped } = valid;
    const refusals = [
      [{ ...valid, name: '' }, /Enter a name/],
      [unscoped, /Choose at least one scope/],
      [{ ...valid, expires: 'date', day: '' }, /Enter the day/],
      [{ ...valid, expires: 'date', day: '30 November' }, /Enter a date like/],
      [{ ...valid, expires: 'date', day: '2020-01-01' }, /Must be in the future/],
      [{ ...valid, expires: 'soon' }, /Enter a date like/],
      [{ ...valid, 'scopes.mail.nothing': 'on' }, /Must be a permission key/],
    ] as const;
    for (const [fields, words] of refusals) {
      const answer = await newKey(fields);
      expectPage(answer, 400, words);
      expect(answer.text).toContain('name="scopes.mail.send"');
    }
    const stale = await browser.post(`${page}/keys/new`, { ...valid, flow: 'none' });
    expectPage(stale, 400, /open for too long/);
    expect(await keysOf()).toEqual(before);
  });

  test('is shown with all its scopes, and revoked', async () => {
    const scopes = ['context.story.read', 'mail.read', 'mail.send', 'storage.read'];
    const made = await tenant.call('identity.api-keys.create', {
      path: { id: tenant.applicationId },
      body: { name: 'To revoke', scopes },
    });
    const path = `${page}/keys/${made.id}`;
    const shown = await browser.get(path);
    expectPage(shown, 200, /To revoke Active .* Never used .* Never /);
    for (const scope of scopes) expect(wordsOf(shown)).toContain(scope);
    expectRedirect(await browser.postFrom(path, path), `${page}?done=revoked`);
    expect((await browser.get(path)).status).toBe(404);
    expect((await keysOf()).some(({ id }) => id === made.id)).toBe(false);
  });
});

describe('the OAuth client of an application', () => {
  test('is created with its secret shown once, changed, and deleted', async () => {
    const made = await saveClient(client);
    expectPage(made, 200, /Copy the client secret now/);
    expect(secretIn(made.text, 'client-secret')).toMatch(/^cs_/);
    const path = { slug: slugOf(tenant.applicationId) };
    expect(await tenant.call('identity.oauth-clients.read', { path })).toMatchObject({
      grantTypes: ['authorization_code'],
      redirectUris: ['https://shop.example/callback', 'http://localhost:4000/callback'],
      scopes: ['openid'],
    });
    const form = await browser.get(`${page}/client`);
    expect(form.text).toContain('https://shop.example/callback\nhttp://localhost:4000/callback');
    expect(form.text).toContain('name="scopes.openid" checked');

    const replaced = await browser.postFrom(page, page);
    expectPage(replaced, 200, /The previous secret works until/);
    expect(secretIn(replaced.text, 'client-secret')).not.toBe(secretIn(made.text, 'client-secret'));

    const isPublic = { ...client, tokenEndpointAuthMethod: 'none' };
    expectRedirect(await saveClient(isPublic), `${page}?done=client-saved`);
    expectPage(await browser.get(page), 200, /Clients without a secret use PKCE/);

    expectRedirect(await browser.postFrom(`${page}/client`, `${page}/client/delete`), `${page}?done=client-deleted`);
    expectPage(await browser.get(page), 200, /Create client/);
  });

  test('is refused with addresses and grants that cannot be, and what was typed stays', async () => {
    const refusals = [
      [{ ...client, redirectUris: 'http://shop.example/<b>' }, /Must be ASCII/],
      [{ ...client, redirectUris: '' }, /at least one address/],
      [
        {
          ...client,
          'grantTypes.authorization_code': '',
          tokenEndpointAuthMethod: 'none',
          'grantTypes.client_credentials': 'on',
        },
        /without a secret cannot/,
      ],
      [{ ...client, tokenEndpointAuthMethod: 'magic' }, /Check the marked field/],
    ] as const;
    for (const [fields, words] of refusals) {
      const answer = await saveClient(fields);
      expectPage(answer, 400, words);
      expect(decodeEntities(answer.text)).toContain(fields.redirectUris);
    }
    const path = { slug: slugOf(tenant.applicationId) };
    expect((await tenant.attempt('identity.oauth-clients.read', { path })).status).toBe(404);
  });
});

describe('the quickstart', () => {
  test('has a request that works with a key, and no secret', async () => {
    const { text } = await browser.get(page);
    const curl = decodeEntities(/<pre [^>]*aria-label="curl">([^<]*)</.exec(text)![1]!);
    const event = JSON.parse(/-d '([^']*)'/.exec(curl)![1]!);
    expect(curl).toContain(`x-tenant-id: ${tenant.orgId}`);
    const answer = await tenant.send('POST', '/events', event);
    expect(answer.status).toBe(201);
    expect(text).not.toMatch(/svc_live_|cs_[A-Za-z0-9]{20}/);
  });
});

describe('who may not', () => {
  test('change applications sees them without the acts, and is refused by the name of the permission', async () => {
    const user = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
    const visitor = await newVisitor(user.sessionToken);
    const forms = [`${page}/keys/new`, `${page}/client`, `${list}/new`] as const;
    const flows: string[] = [];
    for (const form of forms) flows.push(flowOf(await visitor.get(form)));
    const path = { slug: slugOf(tenant.orgId), userId: user.userId };
    await tenant.call('identity.members.update', { path, body: { role: 'member' } });
    const shown = await visitor.get(page);
    expectPage(shown, 200, /your role lacks console\.apps\.write/);
    expect(shown.text).not.toMatch(/name="flow"|keys\/new/);
    expect((await visitor.get(list)).text).not.toContain(`${list}/new`);
    const before = await keysOf();
    for (const form of forms) {
      const offered = await visitor.get(form);
      expectPage(offered, 200, /your role lacks console\.apps\.write/);
      expect(offered.text).not.toContain('name="flow"');
    }
    const refused: Record<string, string>[] = [
      { name: 'x', expires: '30', day: '', 'scopes.mail.read': 'on' },
      client,
      { name: 'x', slug: '', description: '' },
    ];
    for (const [index, fields] of refused.entries()) {
      const answer = await visitor.post(forms[index]!, { flow: flows[index]!, ...fields });
      expectPage(answer, 403, /lacks the permission console\.apps\.write/);
    }
    expect(await keysOf()).toEqual(before);
  });

  test('see the organization gets 404, and so does one who names the application of another', async () => {
    const outsider = await newVisitor((await newUserClient()).sessionToken);
    for (const path of [list, page, `${page}/keys/new`, `${page}/settings`]) {
      expect((await outsider.get(path)).status).toBe(404);
    }
    const foreign = await newTenantClient();
    const foreignPage = `${list}/${slugOf(foreign.applicationId)}`;
    for (const path of [foreignPage, `${foreignPage}/client`, `${foreignPage}/keys/${foreign.keyId}`]) {
      expect((await browser.get(path)).status).toBe(404);
    }
    expect((await browser.get(`${page}/keys/${foreign.keyId}`)).status).toBe(404);
    const flow = flowOf(await browser.get(`${page}/settings`));
    expect(
      (await browser.post(`${foreignPage}/settings/delete`, { flow, confirm: slugOf(foreign.applicationId) })).status,
    ).toBe(404);
  });
});
