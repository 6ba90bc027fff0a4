import { describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { newMember, newShop, newVisitor, signedBy } from '../../support/widget-client.ts';

type Shop = Client & Tenant & { siteId: string; secret: string };

async function newSigningShop(): Promise<Shop> {
  const shop = await newShop();
  const { secret } = await shop.call('connect.sites.create-secret', { path: { siteId: shop.siteId } });
  return { ...shop, secret };
}

async function begin(shop: Shop, user: { id: string; email?: string }): Promise<string> {
  return (await (await newVisitor(shop, signedBy(shop.secret, user))).say('hello')).conversationId;
}

const erase = (shop: Client, customerId: string) => shop.attempt('context.story.erase', { path: { customerId } });

async function conversationsOf(shop: Client): Promise<string[]> {
  const { data } = await shop.call('connect.conversations.list', { query: {} });
  return data.map(({ conversationId }) => conversationId);
}

async function countIn(name: string, orgId: string): Promise<number> {
  return await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection(name).countDocuments({ orgId }),
  );
}

describe('the erasure of a customer', () => {
  test('ends with the conversations under any id of the customer, and with no other', async () => {
    const shop = await newSigningShop();
    const kept = await begin(shop, { id: 'C-3' });
    // Two ids that an event has joined by the email; one of them signed in without it.
    for (const id of ['C-1', 'C-2']) {
      const payload = { email: 'jean@example.com' };
      await shop.call('context.events.create', {
        body: eventOf(shop.orgId, { actor: { type: 'customer', id }, payload }),
      });
    }
    await begin(shop, { id: 'C-1', email: 'jean@example.com' });
    await begin(shop, { id: 'C-2' });
    expect(await conversationsOf(shop)).toHaveLength(3);
    expect((await erase(shop, 'C-1')).status).toBe(204);
    expect(await conversationsOf(shop)).toEqual([kept]);
    expect((await erase(shop, 'C-1')).status).toBe(404);
    expect(await countIn('context_customer_erasures', shop.orgId)).toBe(0);
  });

  test('finds an address in every spelling', async () => {
    const shop = await newSigningShop();
    await begin(shop, { id: 'C-1', email: 'Jean@B\u00fccher.example' });
    const visitor = await newVisitor(shop);
    const body = { echoId: '1', text: 'hello', email: 'jean@xn--bcher-kva.example.' };
    expect((await visitor.send('POST', '/v1/widget/messages', body)).status).toBe(200);
    expect(await conversationsOf(shop)).toHaveLength(2);
    expect((await erase(shop, 'jean@b\u00fccher\u3002example')).status).toBe(204);
    expect(await conversationsOf(shop)).toEqual([]);
  });

  test('finds a customer who has conversations and no story', async () => {
    const shop = await newSigningShop();
    await begin(shop, { id: 'C-1' });
    expect((await erase(shop, 'C-9')).status).toBe(404);
    expect((await erase(shop, 'C-1')).status).toBe(204);
    expect(await conversationsOf(shop)).toEqual([]);
    expect((await erase(shop, 'C-1')).status).toBe(404);
  });
});

test('the deletion of an organization leaves nothing of its sites, agents and conversations', async () => {
  const shop = await newSigningShop();
  const owner = await newMember(shop, 'owner');
  await shop.call('connect.agents.add', { body: { userId: owner.userId } });
  await shop.call('connect.blocks.create', { body: { customerId: 'C-2' } });
  await shop.call('connect.replies.create', { body: { name: 'Hours', text: 'From 9 to 18.' } });
  const visitor = await newVisitor(shop, signedBy(shop.secret, { id: 'C-1' }));
  await visitor.say('one');
  await visitor.say('two');
  const slug = shop.orgId.replace('_', '-');
  await owner.call('identity.organizations.delete', { path: { slug }, query: { confirm: slug } });
  const names = ['sites', 'agents', 'visitors', 'conversations', 'messages', 'blocks', 'replies'];
  await until(async () => {
    const counts = await Promise.all(names.map((name) => countIn(`connect_${name}`, shop.orgId)));
    return counts.every((count) => count === 0);
  });
  expect([401, 404]).toContain((await visitor.send('POST', '/v1/widget/messages', { text: 'a', echoId: '3' })).status);
});
