import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { Client } from '../../support/client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { askForSession, newShop, newVisitor, shopOrigin, signedBy } from '../../support/widget-client.ts';

describe('the settings', () => {
  test('are those of the first site, which is made once, and stay where they are not named', async () => {
    const tenant = await newTenantClient();
    const read = () => tenant.call('connect.settings.read', {});
    const made = await Promise.all([read(), read(), read()]);
    expect(new Set(made.map(({ siteId }) => siteId)).size).toBe(1);
    expect(made[0]).toMatchObject({ allowedOrigins: [], enabled: true, hasSecret: false });
    const write = (body: object) => tenant.call('connect.settings.write', { body });
    await write({ greeting: 'Hello', allowedOrigins: [shopOrigin, shopOrigin] });
    expect(await write({ colour: '#FFAA00' })).toMatchObject({
      greeting: 'Hello',
      colour: '#ffaa00',
      allowedOrigins: [shopOrigin],
    });
    const second = await tenant.call('connect.sites.create', { body: { name: 'Second' } });
    expect((await read()).siteId).toBe(made[0]!.siteId);
    await tenant.call('connect.sites.update', { path: { siteId: second.siteId }, body: { greeting: 'Other' } });
    expect((await read()).greeting).toBe('Hello');
  });

  test.each([
    ['an origin with a path', { allowedOrigins: ['https://shop.example.com/a'] }],
    ['an origin that is a name', { allowedOrigins: ['shop.example.com'] }],
    ['all origins', { allowedOrigins: ['*'] }],
    ['all of a top-level domain', { allowedOrigins: ['https://*.com'] }],
    ['a directive', { allowedOrigins: ["https://a.com; script-src 'unsafe-inline'"] }],
    ['two origins in one', { allowedOrigins: ['https://a.com https://b.com'] }],
    ['a script', { allowedOrigins: ['javascript:alert(1)'] }],
    ['a colour by name', { colour: 'red' }],
    ['a style for a colour', { colour: '#aabbcc;background:url(x)' }],
    ['a logo without TLS', { logoUrl: 'http://example.com/a.png' }],
    ['a logo that is a script', { logoUrl: 'javascript:alert(1)' }],
    ['a greeting that is too long', { greeting: 'x'.repeat(501) }],
    ['a name of nothing', { name: ' ' }],
    ['a text for the switch', { enabled: 'no' }],
    ['an unknown field', { secret: 'a' }],
  ])('refuse %s, and are unchanged then', async (_name, body) => {
    const tenant = await newTenantClient();
    const before = await tenant.call('connect.settings.read', {});
    expect(await tenant.attempt('connect.settings.write', { body })).toMatchObject({ status: 400 });
    expect(await tenant.call('connect.settings.read', {})).toEqual(before);
  });
});

describe('the sites', () => {
  test('are as many as the plan has, each with its own settings', async () => {
    const tenant = await newTenantClient();
    await tenant.call('connect.settings.read', {});
    const create = () => tenant.attempt('connect.sites.create', { body: { name: 'Another' } });
    const answers = await Promise.all([create(), create(), create(), create()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 402, 402]);
    const { data } = await tenant.call('connect.sites.list', { query: {} });
    expect(data).toHaveLength(3);
    await tenant.call('connect.sites.delete', { path: { siteId: data[2]!.siteId } });
    expect((await tenant.attempt('connect.sites.delete', { path: { siteId: data[2]!.siteId } })).status).toBe(404);
    expect((await create()).status).toBe(201);
  });

  test('that are removed take no visitor, and leave their conversations in the inbox', async () => {
    const shop = await newShop();
    const { conversationId } = await (await newVisitor(shop)).say('hello');
    await shop.call('connect.sites.delete', { path: { siteId: shop.siteId } });
    const { status } = await askForSession(shop.url, { tenantId: shop.orgId, siteId: shop.siteId });
    expect(status).toBe(404);
    const read = await shop.call('connect.conversations.read', { path: { id: conversationId } });
    expect(read.lastMessage).toBe('hello');
  });

  test('keep their secret encrypted, and never answer it again', async () => {
    const shop = await newShop();
    const path = { siteId: shop.siteId };
    const { secret } = await shop.call('connect.sites.create-secret', { path });
    expect(JSON.stringify(await shop.call('connect.sites.read', { path }))).not.toContain(secret);
    const stored = await withDatabase(await databaseUrlOf(await sharedPlatform()), async (database) =>
      JSON.stringify([
        await database.collection('connect_sites').find({ orgId: shop.orgId }).toArray(),
        await database.collection('identity_audit_records').find({ orgId: shop.orgId }).toArray(),
      ]),
    );
    expect(stored).not.toContain(secret);
    expect(stored).toContain('site.secret-created');
  });
});

describe('too many blocks', () => {
  test('are 402, and one that is there already is not', async () => {
    const own = await newTenantClient();
    const { orgId } = own;
    await own.call('connect.blocks.create', { body: { customerId: 'C-1' } });
    await withDatabase(await databaseUrlOf(await sharedPlatform()), async (database) => {
      const blocks = Array.from({ length: 999 }, (_, index) => ({ _id: `${orgId}:${index}` as never, orgId }));
      await database.collection('connect_blocks').insertMany(blocks);
    });
    const block = (customerId: string) => own.attempt('connect.blocks.create', { body: { customerId } });
    expect(await block('C-2')).toMatchObject({
      status: 402,
      body: { error: 'PLAN_LIMIT_EXCEEDED', upgradeUrl: expect.stringContaining(orgId) },
    });
    expect((await block('C-1')).status).toBe(201);
  });
});

describe('blocks', () => {
  let shop: Client & Tenant & { siteId: string };

  beforeAll(async () => {
    shop = await newShop();
  });

  const block = (body: object) => shop.attempt('connect.blocks.create', { body });
  const unblock = (query: object) => shop.attempt('connect.blocks.delete', { query: query as Record<string, unknown> });

  test('end what a visitor may do until they are lifted', async () => {
    const visitor = await newVisitor(shop);
    await visitor.say('spam');
    const stream = await visitor.listen();
    await stream.take('open');
    const { status, body } = await block({ visitorId: visitor.visitorId, reason: 'Spam' });
    await until(stream.isEnded);
    expect([status, body.data]).toEqual([
      201,
      [expect.objectContaining({ type: 'visitor', value: visitor.visitorId })],
    ]);
    const written = await visitor.send('POST', '/v1/widget/messages', { text: 'more spam', echoId: '1' });
    expect(written).toMatchObject({ status: 403, body: { error: 'VISITOR_BLOCKED' } });
    const again = await askForSession(
      shop.url,
      { tenantId: shop.orgId },
      { authorization: `Bearer ${visitor.visitorToken}` },
    );
    expect(again).toMatchObject({ status: 403, body: { error: 'VISITOR_BLOCKED' } });
    await block({ visitorId: visitor.visitorId });
    expect((await shop.call('connect.blocks.list', { query: {} })).data).toHaveLength(1);
    expect((await unblock({ visitorId: visitor.visitorId })).status).toBe(204);
    await visitor.say('sorry');
    expect((await unblock({ visitorId: visitor.visitorId })).status).toBe(404);
  });

  test.each(['customer', 'address'] as const)('end the streams of a blocked %s at once', async (type) => {
    const own = await newShop();
    const { secret } = await own.call('connect.sites.create-secret', { path: { siteId: own.siteId } });
    const visitor = await newVisitor(own, signedBy(secret, { id: 'C-1' }));
    const stream = await visitor.listen();
    await stream.take('open');
    const body = type === 'customer' ? { customerId: 'C-1' } : { address: '127.0.0.1' };
    await own.call('connect.blocks.create', { body });
    // The check that every stream has every 15 seconds would be too late.
    await until(stream.isEnded, 10_000);
  });

  test('hold for a customer on any device, and for an address', async () => {
    const own = await newShop();
    const { secret } = await own.call('connect.sites.create-secret', { path: { siteId: own.siteId } });
    await own.call('connect.blocks.create', { body: { customerId: 'C-1' } });
    const signed = await askForSession(own.url, { tenantId: own.orgId, ...signedBy(secret, { id: 'C-1' }) });
    expect(signed.status).toBe(403);
    const visitor = await newVisitor(own);
    await visitor.say('hello');
    const both = await own.call('connect.blocks.create', { body: { visitorId: visitor.visitorId, withAddress: true } });
    expect(both.data.map(({ type, value }) => [type, value])).toEqual([
      ['address', null],
      ['visitor', visitor.visitorId],
    ]);
    expect((await askForSession(own.url, { tenantId: own.orgId })).status).toBe(403);
    await own.call('connect.blocks.delete', { query: { visitorId: visitor.visitorId } });
    await newVisitor(own);
    await own.call('connect.blocks.create', { body: { address: '127.0.0.1' } });
    expect((await askForSession(own.url, { tenantId: own.orgId })).status).toBe(403);
    await own.call('connect.blocks.delete', { query: { address: '127.0.0.1' } });
    await newVisitor(own);
  });

  test.each([
    ['nobody', {}],
    ['two at once', { visitorId: newId('vis'), customerId: 'C-1' }],
    ['no address', { address: 'localhost' }],
    ['the address of a customer', { customerId: 'C-1', withAddress: true }],
  ])('are refused for %s', async (_name, body) => {
    expect((await block(body)).status).toBe(400);
  });
});
