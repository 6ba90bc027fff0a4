import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { pathOf } from '../../support/checkout-links.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { createOAuthClient } from '../../support/oauth-database-client.ts';
import { expectPage, expectRedirect, flowOf, newVisitor, visitorOf, wordsOf } from '../../support/pages.ts';
import { startPlatform } from '../../support/platform.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { createTenant, databaseUrlOf, type Tenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { newUserClient } from '../../support/user-client.ts';

const wish = { plan: 'pro', billingCycle: 'monthly', successUrl: '/account?paid', cancelUrl: '/account' } as const;
const open = (client: Client, body: object = {}, orgId = client.orgId, headers = {}) =>
  client.attempt('billing.checkouts.open', { path: { orgId }, body: { ...wish, ...body } }, headers);
const planOf = async (client: Client): Promise<string> =>
  (await client.call('billing.subscription.read', { path: { orgId: client.orgId } })).plan;

async function begin(client: Client & Tenant, body: object = {}) {
  const { body: opened } = await open(client, body);
  const visitor = await newVisitor();
  const path = pathOf(opened.checkoutUrl);
  const act = (what: string) => visitor.postFrom(path, path, { act: what });
  return { ...opened, visitor, path, act };
}

describe('POST /v1/orgs/:orgId/checkout', () => {
  test('answers 201 with the page, the id and the end of the checkout, and again the same', async () => {
    const client = await newTenantClient();
    const first = await open(client);
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      checkoutUrl: expect.stringMatching(
        `^${client.url}/billing/checkout/${first.body.sessionId}[?]signature=[\\w-]{43}$`,
      ),
      sessionId: expect.stringMatching(/^chk_[0-9a-z]{26}$/),
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect((await open(client)).body).toEqual(first.body);
    expect(await planOf(client)).toBe('free');
  });

  test('needs the permission billing.write in that organization', async () => {
    const client = await newTenantClient();
    const other = await newTenantClient();
    const reader = await newTenantClient({ scopes: ['billing.read'] });
    expect((await open(client, {}, client.orgId, { authorization: null })).body.error).toBe('CREDENTIAL_REQUIRED');
    expect(await open(reader)).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
    for (const orgId of [other.orgId, newId('org'), 'nonsense']) {
      expect(await open(client, {}, orgId)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
    }
    expect((await open(await newUserClient({ orgId: client.orgId }), {}, client.orgId)).status).toBe(201);
    const admin = await newUserClient({ orgId: client.orgId, role: 'admin' });
    expect((await open(admin, {}, client.orgId)).status).toBe(403);
  });

  test.each([
    ['plan', { plan: 'free' }],
    ['plan', { plan: 'platinum' }],
    ['billingCycle', { billingCycle: 'daily' }],
    ['billingCycle', { billingCycle: undefined }],
    ['currency', { currency: 'EUR' }],
    ['successUrl', { successUrl: 'https://evil.example/' }],
    ['cancelUrl', { cancelUrl: 'http://user@127.0.0.1/' }],
    ['cancelUrl', { cancelUrl: 7 }],
    ['amount', { amount: 1 }],
  ])('refuses a wrong %s', async (field, body) => {
    const client = await newTenantClient();
    const { status, body: refusal } = await open(client, body);
    expect({ status, paths: refusal.details?.map(({ path }) => path) }).toEqual({
      status: 400,
      paths: [`body.${field}`],
    });
  });

  test('sends back to origins of the organization’s own clients, and not of others’', async () => {
    const [client, other] = [await newTenantClient(), await newTenantClient()];
    const databaseUrl = await databaseUrlOf(await sharedPlatform());
    const origin = `https://${client.orgId.replace('_', '-')}.example`;
    await createOAuthClient(databaseUrl, client, { redirectUris: [`${origin}/callback`] });
    expect((await open(client, { successUrl: `${origin}/thanks` })).status).toBe(201);
    expect((await open(other, { successUrl: `${origin}/thanks` })).status).toBe(400);
  });

  test('replays the first answer for an Idempotency-Key', async () => {
    const client = await newTenantClient();
    const headers = { 'idempotency-key': 'one' };
    const first = await open(client, {}, client.orgId, headers);
    expect((await open(client, {}, client.orgId, headers)).body).toEqual(first.body);
    expect((await open(client, { plan: 'scale' }, client.orgId, headers)).body.error).toBe('IDEMPOTENCY_MISMATCH');
  });
});

describe('the page of a checkout', () => {
  test('shows what is to be paid, and leads back when it was, with the plan in force', async () => {
    const client = await newTenantClient();
    const { visitor, path, act } = await begin(client);
    const said =
      /Test payment: you will not be charged.* Pay for Pro Organization Organization of a test Plan Pro, paid monthly Period \d+ \w+ \d{4} to \d+ \w+ \d{4} Due now €49 Prices include all taxes\. Renewal On \d+ \w+ \d{4} for €49, until you cancel Pay €49 Test outcomes/;
    expectPage(await visitor.get(path), 200, said);
    expectRedirect(await act('approve'), `${client.url}/account?paid`);
    expect(await planOf(client)).toBe('pro');
    expectPage(await visitor.get(path), 200, /Paid/);
    expect(await open(client)).toMatchObject({ status: 409, body: { error: 'PLAN_IS_CURRENT' } });
    const { invoices } = await client.call('billing.invoices.list', { path: { orgId: client.orgId }, query: {} });
    expect(invoices).toMatchObject([{ status: 'paid', amount: 4900, currency: 'eur' }]);
  });

  test('asks for no money where what is left of the present plan is enough', async () => {
    const client = await newTenantClient();
    const year = await begin(client, { billingCycle: 'yearly' });
    await year.act('approve');
    const { visitor, path, act } = await begin(client, { plan: 'scale', billingCycle: 'monthly' });
    const said = /Continue with Scale .* Nothing is due now\. .* covers the cost until \d+ \w+ \d{4}/;
    expectPage(await visitor.get(path), 200, said);
    expectRedirect(await act('confirm'), `${client.url}/account?paid`);
    expect(await planOf(client)).toBe('scale');
  });

  test('says what went wrong, and lets the payer try again', async () => {
    const client = await newTenantClient();
    const { visitor, path, act } = await begin(client);
    expectPage(await act('decline'), 402, /Your payment was declined/);
    expectRedirect(await act('challenge'), path);
    expectPage(await visitor.get(path), 200, /Confirm your payment/);
    expectPage(await act('fail'), 402, /Your bank did not confirm the payment/);
    expectRedirect(await act('abandon'), `${client.url}/account`);
    expect(await planOf(client)).toBe('free');
    expectRedirect(await act('challenge'), path);
    expectRedirect(await act('complete'), `${client.url}/account?paid`);
    expect(await planOf(client)).toBe('pro');
  });

  test('takes a form of its own alone, from this browser and this platform', async () => {
    const client = await newTenantClient();
    const { visitor, path } = await begin(client);
    const flow = flowOf(await visitor.get(path));
    const stranger = await newVisitor();
    expectPage(await stranger.post(path, { act: 'approve', flow }), 400, /Cookies are required/);
    expectPage(await visitor.post(path, { act: 'approve', flow: `${flow}x` }), 400, /open for too long/);
    expectPage(await visitor.post(path, { act: 'approve', flow }, { origin: 'https://evil.example' }), 403);
    expectPage(await visitor.post(path, { act: 'rob', flow }), 400, /Choose one of the buttons/);
    expectPage(await visitor.post(path, { act: 'approve', flow, extra: '1' }), 400);
    const another = await begin(await newTenantClient());
    const foreign = flowOf(await visitor.get(another.path));
    expectPage(await visitor.post(path, { act: 'approve', flow: foreign }), 400, /open for too long/);
    expect(await planOf(client)).toBe('free');
  });

  test('says that it is closed when another took its place, and that there is none where there is none', async () => {
    const client = await newTenantClient();
    const { visitor, path } = await begin(client);
    const flow = flowOf(await visitor.get(path));
    await open(client, { plan: 'scale' });
    expectPage(await visitor.get(path), 410, /This checkout is closed/);
    expectRedirect(await visitor.post(path, { act: 'approve', flow }), path);
    expect(await planOf(client)).toBe('free');
    for (const id of [newId('chk'), 'x', '%00']) {
      expect([400, 404]).toContain((await visitor.get(`/billing/checkout/${id}`)).status);
    }
  });

  test('is not there for who knows the id and not the signature, whatever they send', async () => {
    const client = await newTenantClient();
    const { visitor, path, sessionId, act } = await begin(client);
    const flow = flowOf(await visitor.get(path));
    const unknown = `/billing/checkout/${newId('chk')}`;
    const another = pathOf((await begin(await newTenantClient())).checkoutUrl);
    const address = `/billing/checkout/${sessionId}`;
    const wrong = [
      '',
      '?signature=',
      `${path.slice(address.length)}x`,
      another.slice(unknown.length),
      `?id=${sessionId}`,
    ];
    const missing = wordsOf(await visitor.get(unknown));
    for (const query of [...wrong, `${path.slice(address.length)}&signature=1`]) {
      const shown = await visitor.get(address + query);
      expectPage(shown, 404);
      expect(wordsOf(shown)).toBe(missing);
      for (const chosen of ['approve', 'confirm', 'abandon', 'rob']) {
        expectPage(await visitor.post(address + query, { act: chosen, flow }), 404);
      }
    }
    expect(await planOf(client)).toBe('free');
    const left = await act('approve');
    expectRedirect(left, `${client.url}/account?paid`);
    expect(left.headers['referrer-policy']).toBe('no-referrer');
  });

  test('logs no signature', async () => {
    const platform = await startPlatform({ env: { LOG_LEVEL: 'trace' } });
    const tenant = await createTenant(await databaseUrlOf(platform));
    const { body } = await open(clientOf({ url: platform.url, ...tenant }), {}, tenant.orgId);
    const path = pathOf(body.checkoutUrl);
    const visitor = visitorOf(platform.url);
    expectPage(await visitor.postFrom(path, path, { act: 'decline' }), 402);
    expectPage(await visitor.post(path, { act: 'rob' }), 400);
    expectRedirect(await visitor.postFrom(path, path, { act: 'approve' }), `${platform.url}/account?paid`);
    const [address = '', signature = ''] = path.split('?signature=');
    await until(() => platform.log().filter((line) => line.path === address).length >= 5);
    await platform.stop();
    expect(platform.output()).not.toContain(signature);
  });

  test('asks whether less is wanted, and from when on', async () => {
    const client = await newTenantClient();
    await (await begin(client, { plan: 'scale' })).act('approve');
    const { visitor, path, act } = await begin(client);
    const shown = await visitor.get(path);
    expectPage(shown, 200, /Change to Pro Organization of a test changes to Pro , paid monthly, on \d+ \w+ \d{4}/);
    expect(wordsOf(shown)).toContain('Nothing is due now.');
    expectRedirect(await act('confirm'), `${client.url}/account?paid`);
    expect(await planOf(client)).toBe('scale');
    expectPage(await visitor.get(path), 200, /Confirmed/);
  });
});

describe('POST /v1/billing/webhooks/:provider', () => {
  const receive = (client: Client, provider: string, body: string | Uint8Array, headers = {}) =>
    client.send('POST', `/v1/billing/webhooks/${provider}`, body, { authorization: null, ...headers });

  test('refuses what is not signed, whatever its type', async () => {
    const client = await newTenantClient();
    for (const type of ['application/json', 'text/plain', null]) {
      const answer = await receive(client, 'test', '{"id":"evt_1"}', { 'content-type': type });
      expect(answer).toMatchObject({ status: 400, body: { error: 'WEBHOOK_INVALID' } });
    }
    const signed = { 'platform-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` };
    expect((await receive(client, 'test', '{}', signed)).status).toBe(400);
  });

  test.each([
    ['of providers that send none', 'manual', 'x', {}, 404, 'NOT_FOUND'],
    ['of Stripe where it is not set up', 'stripe', '{}', { 'stripe-signature': 't=1,v1=0' }, 404, 'NOT_FOUND'],
    ['that are too large', 'test', 'x'.repeat(256 * 1024 + 1), {}, 413, 'BODY_TOO_LARGE'],
    ['that are no UTF-8', 'test', Buffer.from([0xff]), {}, 400, 'REQUEST_MALFORMED'],
    ['that are encoded', 'test', 'x', { 'content-encoding': 'gzip' }, 415, 'CONTENT_TYPE_UNSUPPORTED'],
    ['that are empty', 'test', '', {}, 400, 'WEBHOOK_INVALID'],
  ])('refuses webhooks %s', async (_what, provider, body, headers, status, error) => {
    const client = await newTenantClient();
    expect(await receive(client, provider, body, headers)).toMatchObject({ status, body: { error } });
  });

  test('is described as taking a body of any type, with its signatures, and no credential', async () => {
    const { url, send } = await newTenantClient();
    expect(url).toMatch(/^http/);
    const { body } = await send<{ paths: Record<string, { post: object }> }>('GET', '/openapi.json');
    expect(body.paths['/v1/billing/webhooks/{provider}']?.post).toMatchObject({
      security: [],
      requestBody: { content: { '*/*': { schema: { type: 'string' } } } },
      parameters: expect.arrayContaining([expect.objectContaining({ name: 'platform-signature', in: 'header' })]),
    });
  });
});
