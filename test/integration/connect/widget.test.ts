import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { Client } from '../../support/client.ts';
import { listen, type ServerEvent } from '../../support/event-client.ts';
import { send } from '../../support/http.ts';
import type { Tenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import {
  askForSession,
  newAgent,
  newShop,
  newVisitor,
  shopOrigin,
  signedBy,
  signUser,
  visitorOf,
} from '../../support/widget-client.ts';

type Shop = Client & Tenant & { siteId: string };

let shop: Shop;
let secret: string;

beforeAll(async () => {
  shop = await newShop();
  ({ secret } = await shop.call('connect.sites.create-secret', { path: { siteId: shop.siteId } }));
});

const session = (body: object = {}, headers: Record<string, string> = {}) =>
  askForSession(shop.url, { tenantId: shop.orgId, ...body }, headers);
const settings = (body: object) => shop.call('connect.settings.write', { body });

describe('a session of a visitor', () => {
  test('begins from a page of the site, or from the platform’s own frame', async () => {
    const greeting = 'Hello!';
    await settings({ greeting, colour: '#AA0000' });
    const { status, body, headers } = await session({ locale: 'de-AT' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      isIdentified: false,
      site: { siteId: shop.siteId, greeting, colour: '#aa0000', logoUrl: null },
      conversation: null,
    });
    expect(headers['access-control-allow-origin']).toBe(shopOrigin);
    const framed = await session({}, { origin: new URL(shop.url).origin });
    expect(framed.status).toBe(200);
    expect(framed.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('is continued with its token, across pages and days, and by nothing else', async () => {
    const visitor = await newVisitor(shop);
    await visitor.say('hello');
    const again = await newVisitor(shop, {}, visitor);
    expect(again.visitorId).toBe(visitor.visitorId);
    expect(again.conversation).toMatchObject({ lastMessage: 'hello', lastSeq: 1 });
    expect((await newVisitor(shop)).visitorId).not.toBe(visitor.visitorId);
    const elsewhere = await newShop();
    const foreign = await askForSession(
      shop.url,
      { tenantId: elsewhere.orgId },
      { authorization: `Bearer ${visitor.visitorToken}` },
    );
    expect(foreign.body.visitorId).not.toBe(visitor.visitorId);
  });

  type Refusal = [name: string, body: object, headers: Record<string, string>, status: number, error: string];

  test.each<Refusal>([
    ['a page of another origin', {}, { origin: 'https://evil.example.com' }, 403, 'ORIGIN_REFUSED'],
    ['a page of a longer origin', {}, { origin: `${shopOrigin}.evil.com` }, 403, 'ORIGIN_REFUSED'],
    ['the same host without TLS', {}, { origin: 'http://shop.example.com' }, 403, 'ORIGIN_REFUSED'],
    ['a sandboxed page', {}, { origin: 'null' }, 403, 'ORIGIN_REFUSED'],
    ['an unknown organization', { tenantId: newId('org') }, {}, 404, 'NOT_FOUND'],
    ['an unknown site', { siteId: newId('site') }, {}, 404, 'NOT_FOUND'],
    ['a text for the organization', { tenantId: { $ne: null } }, {}, 400, 'INPUT_INVALID'],
    ['a locale that is none', { locale: '<script>' }, {}, 400, 'INPUT_INVALID'],
    ['a hash without a user', { userHash: 'a'.repeat(64) }, {}, 400, 'INPUT_INVALID'],
    ['a hash without an instant', { user: { id: '1' }, userHash: 'a'.repeat(64) }, {}, 400, 'INPUT_INVALID'],
    ['an unknown field', { admin: true }, {}, 400, 'INPUT_INVALID'],
  ])('is refused to %s', async (_name, body, headers, status, error) => {
    expect(await session(body, headers)).toMatchObject({ status, body: { error } });
  });

  test('is refused without an origin, which no page’s POST is', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ tenantId: shop.orgId });
    const answer = await send(shop.url, { method: 'POST', path: '/v1/widget/sessions', headers, body });
    expect(answer).toMatchObject({ status: 403, body: { error: 'ORIGIN_REFUSED' } });
  });

  test('may come from the subdomains that a wildcard allows', async () => {
    const own = await newShop();
    await own.call('connect.settings.write', { body: { allowedOrigins: ['https://*.example.org'] } });
    const from = (origin: string) => askForSession(own.url, { tenantId: own.orgId }, { origin });
    expect((await from('https://a.b.example.org')).status).toBe(200);
    for (const origin of ['https://example.org', 'https://evilexample.org', 'http://a.example.org']) {
      expect((await from(origin)).status).toBe(403);
    }
  });
});

describe('the token of a visitor', () => {
  test.each<[string, (token: string) => string | undefined, string]>([
    ['is required', () => undefined, 'CREDENTIAL_REQUIRED'],
    ['cannot be changed', (token) => `${forge(token)}.${token.split('.')[1]}`, 'CREDENTIAL_INVALID'],
    ['needs its signature', (token) => `${token.split('.')[0]}.${'A'.repeat(43)}`, 'CREDENTIAL_INVALID'],
    ['cannot be cut', (token) => token.slice(0, -1), 'CREDENTIAL_INVALID'],
    ['is no API key', () => shop.apiKey, 'CREDENTIAL_INVALID'],
  ])('%s', async (_name, change, error) => {
    const visitor = await newVisitor(shop);
    const token = change(visitor.visitorToken);
    for (const path of ['/v1/widget/messages', '/v1/widget/conversations', '/v1/widget/stream']) {
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      expect(await send(shop.url, { path, headers })).toMatchObject({ status: 401, body: { error } });
    }
  });

  test('is no credential of the platform, and reads no other conversation', async () => {
    const [visitor, other] = [await newVisitor(shop), await newVisitor(shop)];
    const { conversationId } = await other.say('mine');
    const headers = { 'x-tenant-id': shop.orgId };
    expect((await visitor.send('GET', '/v1/conversations', undefined, headers)).status).toBe(401);
    const path = `/v1/widget/messages?conversationId=${conversationId}`;
    expect(await visitor.send('GET', path)).toMatchObject({ status: 404 });
    expect(await visitor.send('POST', '/v1/widget/read', { seq: 1, conversationId })).toMatchObject({ status: 404 });
    const stranger = await newVisitor(await newShop());
    expect(await stranger.send('GET', path)).toMatchObject({ status: 404 });
    expect(await stranger.send('POST', '/v1/widget/read', { seq: 1, conversationId })).toMatchObject({ status: 404 });
  });

  const forge = (token: string): string => {
    const claims = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString());
    return Buffer.from(JSON.stringify({ ...claims, visitorId: newId('vis') })).toString('base64url');
  };
});

describe('a message of a visitor', () => {
  test.each([
    ['without a text', { echoId: '1' }],
    ['of blanks', { echoId: '1', text: ' \n ' }],
    ['that is too long', { echoId: '1', text: 'x'.repeat(5001) }],
    ['without an echoId', { text: 'a' }],
    ['with a control character', { echoId: '1', text: 'a\u0007' }],
    ['with half a character', { echoId: '1', text: '\ud800' }],
    ['with an address that is none', { echoId: '1', text: 'a', email: 'nobody' }],
    ['as an agent', { echoId: '1', text: 'a', author: { type: 'agent' } }],
    ['that is no text', { echoId: '1', text: { $gt: '' } }],
  ])('is refused %s', async (_name, body) => {
    const visitor = await newVisitor(shop);
    expect(await visitor.send('POST', '/v1/widget/messages', body)).toMatchObject({ status: 400 });
    expect((await visitor.read()).conversation).toBeNull();
  });

  test('is kept as plain text, whatever it looks like', async () => {
    const visitor = await newVisitor(shop);
    const text = '<img src=x onerror=alert(1)> [a](javascript:alert(1)) {{ 1 }}\n\ud83d\ude00';
    await visitor.say(text);
    expect((await visitor.read()).data).toMatchObject([{ text }]);
  });

  test('has a line feed for each line break', async () => {
    const visitor = await newVisitor(shop);
    await visitor.say('one\r\ntwo\rthree\u2028four');
    expect((await visitor.read()).data).toMatchObject([{ text: 'one\ntwo\nthree\nfour' }]);
    const greeting = 'Hello!\r\nWe are here.';
    expect(await settings({ greeting })).toMatchObject({ greeting: 'Hello!\nWe are here.' });
  });

  test.each([
    ['ivan@xn--80ak6aa92e.xn--p1ai', 'ivan@xn--80ak6aa92e.xn--p1ai'],
    ['Jos\u00e9@B\u00fccher.example', 'jos\u00e9@xn--bcher-kva.example'],
    ['a&b@example.com.', 'a&b@example.com'],
    ['\u202ajean@example.com\u202c', 'jean@example.com'],
  ])('takes the address %j, as registration does', async (typed, email) => {
    const own = await newShop();
    const visitor = await newVisitor(own);
    const body = { echoId: '1', text: 'hello', email: typed };
    const { status } = await visitor.send('POST', '/v1/widget/messages', body);
    expect(status).toBe(200);
    const { data } = await own.call('connect.conversations.list', { query: {} });
    const path = { id: data[0]!.conversationId };
    expect(await own.call('connect.conversations.read', { path })).toMatchObject({ visitor: { email } });
    const named = await newVisitor(own, { user: { id: 'C-1', email: typed } });
    expect(named.isIdentified).toBe(false);
  });

  test.each([
    'a..b@x.example',
    '.a@x.example',
    'a.@x.example',
    'a@-x.example',
    'a@x',
    'a@x\u0000.example',
    '\u0430da@x.example',
  ])('refuses the address %j, as registration does', async (email) => {
    const visitor = await newVisitor(shop);
    const refused = await visitor.send('POST', '/v1/widget/messages', { echoId: '1', text: 'a', email });
    expect(refused.status).toBe(400);
    expect((await session({ user: { id: 'C-1', email } })).status).toBe(400);
  });

  test('may name how the visitor is reached, which joins no customer', async () => {
    const own = await newShop();
    const visitor = await newVisitor(own, { user: { id: 'C-9', name: 'Mallory', email: 'victim@example.com' } });
    expect(visitor.isIdentified).toBe(false);
    const { conversationId } = await visitor.say('hello');
    const { visitor: shown, ...conversation } = await own.call('connect.conversations.read', {
      path: { id: conversationId },
    });
    expect(shown).toMatchObject({ name: 'Mallory', email: 'victim@example.com', isIdentified: false });
    expect(conversation).toMatchObject({ customerId: null, customerName: 'Mallory' });
    await visitor.send('POST', '/v1/widget/messages', { echoId: '2', text: 'Call me', name: 'Eve' });
    expect(await own.call('connect.conversations.read', { path: { id: conversationId } })).toMatchObject({
      customerName: 'Eve',
      visitor: { email: 'victim@example.com' },
    });
  });
});

describe('a signed identity', () => {
  const at = (offset: number) => new Date(Date.now() + offset).toISOString();
  const hour = 3_600_000;

  test('has one history on all devices, with what its anonymous visitor began', async () => {
    const user = { id: 'C-1', email: 'jean@example.com', name: 'Jean Bartik' };
    const anonymous = await newVisitor(shop);
    const { conversationId } = await anonymous.say('before the login');
    const desktop = await newVisitor(shop, signedBy(secret, user), anonymous);
    expect(desktop.isIdentified).toBe(true);
    expect(desktop.conversation?.conversationId).toBe(conversationId);
    const phone = await newVisitor(shop, signedBy(secret, user));
    expect(phone.visitorId).toBe(desktop.visitorId);
    await phone.say('from the phone');
    expect((await desktop.read()).data.map(({ text }) => text)).toEqual(['before the login', 'from the phone']);
    expect(await shop.call('connect.conversations.read', { path: { id: conversationId } })).toMatchObject({
      customerId: 'C-1',
      customerName: 'Jean Bartik',
      visitor: { isIdentified: true, email: 'jean@example.com' },
    });
    // A page that names no user has signed its user out.
    const out = await newVisitor(shop, {}, phone);
    expect(out.visitorId).not.toBe(phone.visitorId);
    expect(out.conversation).toBeNull();
  });

  test('joins the email that it signs to the customer of business context', async () => {
    const own = await newShop();
    const { secret: key } = await own.call('connect.sites.create-secret', { path: { siteId: own.siteId } });
    const base = { schemaVersion: '1.0', tenantId: own.orgId, eventName: 'order.created', payload: { total: 5 } };
    const event = {
      ...base,
      eventId: crypto.randomUUID(),
      occurredAt: at(-hour),
      actor: { type: 'customer', id: 'C-7' },
      source: { system: 'shop', channel: 'web' },
    };
    await own.call('context.events.create', { body: event });
    const resolve = () => own.attempt('context.story.resolve', { query: { q: 'seven@example.com' } });
    await own.call('context.story.read', { path: { customerId: 'C-7' }, query: {} });
    expect((await resolve()).status).toBe(404);
    await newVisitor(own, { user: { id: 'C-7', email: 'seven@example.com' } });
    expect((await resolve()).status).toBe(404);
    await newVisitor(own, signedBy(key, { id: 'C-7', email: 'Seven@example.com' }));
    expect((await resolve()).body).toMatchObject({ customerId: 'C-7' });
    // Signed as it is spelled, and known in every spelling.
    await newVisitor(own, signedBy(key, { id: 'C-7', email: 'Seven@B\u00fccher.Example.' }));
    const q = 'seven@xn--bcher-kva.example';
    expect((await own.attempt('context.story.resolve', { query: { q } })).body).toMatchObject({ customerId: 'C-7' });
  });

  type Change = (user: { id: string; email?: string; issuedAt: string }) => { user: object; userHash: string };
  test.each<[string, Change]>([
    ['a hash of another user', (user) => ({ user: { ...user, id: 'C-2' }, userHash: signUser(secret, user) })],
    [
      'a hash of another email',
      (user) => ({ user: { ...user, email: 'b@example.com' }, userHash: signUser(secret, user) }),
    ],
    ['a hash without the email', (user) => ({ user, userHash: signUser(secret, { ...user, email: '' }) })],
    ['a hash of another instant', (user) => ({ user, userHash: signUser(secret, { ...user, issuedAt: at(-hour) }) })],
    ['another secret', (user) => ({ user, userHash: signUser('wsec_other', user) })],
    ['a hash of yesterday', (user) => signed({ ...user, issuedAt: at(-24 * hour - 1000) })],
    ['a hash of tomorrow', (user) => signed({ ...user, issuedAt: at(hour) })],
    ['line feeds that move the parts', ({ issuedAt }) => signed({ id: 'a', email: 'b@example.com\n1', issuedAt })],
  ])('is refused with %s', async (_name, change) => {
    const { status } = await session(change({ id: 'C-1', email: 'a@example.com', issuedAt: at(0) }));
    expect([400, 401]).toContain(status);
  });

  const signed = (user: { id: string; email?: string; issuedAt: string }) => ({
    user,
    userHash: signUser(secret, user),
  });

  test('ends with a new secret, and is refused by a site that has none', async () => {
    const own = await newShop();
    const path = { siteId: own.siteId };
    const first = await own.call('connect.sites.create-secret', { path });
    const visitor = await newVisitor(own, signedBy(first.secret));
    await visitor.say('hello');
    const second = await own.call('connect.sites.create-secret', { path });
    expect(second.secret).not.toBe(first.secret);
    await until(async () => (await visitor.send('GET', '/v1/widget/messages')).status === 401);
    expect(await visitor.send('GET', '/v1/widget/messages')).toMatchObject({ body: { error: 'IDENTITY_INVALID' } });
    expect((await newVisitor(own, signedBy(second.secret))).isIdentified).toBe(true);
    const without = await newShop();
    const unsigned = await askForSession(without.url, { tenantId: without.orgId, ...signedBy('') });
    expect(unsigned).toMatchObject({ status: 401, body: { error: 'IDENTITY_INVALID' } });
  });
});

describe('the switch of a site', () => {
  test('turns its widgets off and on within a second', async () => {
    const own = await newShop();
    const visitor = await newVisitor(own);
    const stream = await visitor.listen();
    await stream.take('open');
    await own.call('connect.settings.write', { body: { enabled: false } });
    const since = performance.now();
    expect((await stream.take('site'))[0]!.data).toEqual({ enabled: false });
    await until(async () => (await visitor.send('GET', '/v1/widget/messages')).status === 403);
    expect(performance.now() - since).toBeLessThan(1000);
    const written = await visitor.send('POST', '/v1/widget/messages', { text: 'a', echoId: '1' });
    expect(written).toMatchObject({ status: 403, body: { error: 'SITE_DISABLED' } });
    expect((await askForSession(own.url, { tenantId: own.orgId })).status).toBe(403);
    await own.call('connect.settings.write', { body: { enabled: true } });
    await until(async () => (await visitor.send('GET', '/v1/widget/messages')).status === 200);
    stream.close();
  });
});

describe('the streams', () => {
  const dataOf = (events: ServerEvent[]) => events.map(({ data }) => data);

  test('hint both sides at messages, reading, typing and changes, and the visitor at nothing internal', async () => {
    const own = await newShop();
    const agent = await newAgent(own);
    const visitor = await newVisitor(own);
    const { conversationId } = await visitor.say('hello');
    const theirs = await visitor.listen();
    const headers = { cookie: `platform_session=${agent.sessionToken}`, 'x-tenant-id': own.orgId };
    const ours = await listen(own.url, '/v1/connect/stream', headers);
    await Promise.all([theirs.take('open'), ours.take('open')]);
    const path = { id: conversationId };
    await agent.call('connect.notes.create', { path, body: { text: 'internal' } });
    await agent.call('connect.conversations.typing', { path });
    await agent.call('connect.messages.create', { path, body: { text: 'hi' } });
    await visitor.send('POST', '/v1/widget/typing');
    await visitor.send('POST', '/v1/widget/read', { seq: 2 });
    await agent.call('connect.conversations.update', { path, body: { status: 'closed' } });
    expect(dataOf(await theirs.take('message'))).toEqual([{ conversationId, seq: 2 }]);
    expect(dataOf(await theirs.take('typing'))).toEqual([{ conversationId, by: 'agent', name: 'Grace' }]);
    expect(dataOf(await theirs.take('read'))).toEqual([{ conversationId, by: 'visitor', seq: 2 }]);
    expect(dataOf(await theirs.take('conversation'))).toEqual([{ conversationId, status: 'closed' }]);
    expect(dataOf(await ours.take('message', 2))).toMatchObject([
      { conversationId, seq: 2, isNote: true },
      { conversationId, seq: 3, isNote: false, author: 'agent' },
    ]);
    expect(dataOf(await ours.take('typing', 2))).toMatchObject([{ by: 'agent' }, { by: 'visitor' }]);
    expect(dataOf(await ours.take('read'))).toEqual([{ conversationId, by: 'visitor', seq: 3 }]);
    expect(theirs.text()).not.toContain('internal');
    // The agent has the inbox open, and the visitor the widget.
    expect((await visitor.read()).agentsOnline).toBe(true);
    const { visitor: shown } = await agent.call('connect.conversations.read', { path });
    expect(shown.online).toBe(true);
    theirs.close();
    ours.close();
  });

  test('are refused to users without a seat, and end when the seat is taken away', async () => {
    const own = await newShop();
    const agent = await newAgent(own);
    const headers = { cookie: `platform_session=${agent.sessionToken}`, 'x-tenant-id': own.orgId };
    const stream = await listen(own.url, '/v1/connect/stream', headers);
    await stream.take('open');
    await own.call('connect.agents.delete', { path: { userId: agent.userId } });
    const since = performance.now();
    expect((await listen(own.url, '/v1/connect/stream', headers)).status).toBe(403);
    await until(stream.isEnded);
    // Before the next of the checks that come every 15 seconds.
    expect(performance.now() - since).toBeLessThan(5000);
  });

  test('of a visitor reach no other visitor', async () => {
    const [one, two] = [await newVisitor(shop), await newVisitor(shop)];
    const streams = [await one.listen(), await two.listen()];
    await Promise.all(streams.map((stream) => stream.take('open')));
    await one.say('hello');
    await two.say('hello');
    expect(await streams[0]!.take('message')).toHaveLength(1);
    expect(await streams[1]!.take('message')).toHaveLength(1);
    expect(streams[0]!.events.filter(({ event }) => event === 'message')).toHaveLength(1);
    for (const stream of streams) stream.close();
  });

  test('are as many for a visitor as a browser needs', async () => {
    const visitor = visitorOf(shop.url, await newVisitor(shop));
    const streams = [];
    for (let count = 0; count < 20; count += 1) streams.push(await visitor.listen());
    expect(streams.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect((await visitor.listen()).status).toBe(429);
    for (const stream of streams) stream.close();
  });
});
