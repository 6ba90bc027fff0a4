import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { PlanName } from '../../../models/billing/sold-version.ts';
import type { Client } from '../../support/client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually, until } from '../../support/until.ts';
import type { User } from '../../support/user-client.ts';
import { newAgent, newMember, newShop, newVisitor } from '../../support/widget-client.ts';

type Member = Client & User;
type Seated = { tenant: Client & Tenant; members: [Member, Member, ...Member[]] };

/** An organization with so many members who are no agents. */
async function withMembers(plan: PlanName, count: number): Promise<Seated> {
  const tenant = await newTenantClient({ plan });
  const members = await Promise.all(Array.from({ length: count }, () => newMember(tenant)));
  return { tenant, members: members as Seated['members'] };
}

const add = (client: Client, { userId }: Pick<User, 'userId'>) =>
  client.attempt('connect.agents.add', { body: { userId } });

async function agentsOf(tenant: Client): Promise<string[]> {
  const { data } = await tenant.call('connect.agents.list', { query: {} });
  return data.map(({ userId }) => userId);
}

/** What billing has counted, with what is reserved. */
async function seatsOf(orgId: string): Promise<number> {
  const found = await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database
      .collection<{ _id: string; used: number }>('billing_counters')
      .findOne({ _id: `${orgId}:connect.agentSeats:gauge` }),
  );
  return found?.used ?? 0;
}

describe('the seats of agents', () => {
  test('are as many as the plan has, however many ask at the same time', async () => {
    const { tenant, members } = await withMembers('pro', 8);
    const answers = await Promise.all(members.map((member) => add(tenant, member)));
    const [taken, refused] = [
      answers.filter(({ status }) => status === 201),
      answers.filter(({ status }) => status === 402),
    ];
    expect([taken.length, refused.length]).toEqual([5, 3]);
    expect(refused[0]!.body).toMatchObject({
      error: 'PLAN_LIMIT_EXCEEDED',
      upgradeUrl: expect.stringContaining(tenant.orgId),
    });
    const all = await agentsOf(tenant);
    expect(all).toHaveLength(5);
    const first = await tenant.call('connect.agents.list', { query: { limit: '3' } });
    const second = await tenant.call('connect.agents.list', { query: { limit: '3', cursor: first.nextCursor! } });
    expect([...first.data, ...second.data].map(({ userId }) => userId)).toEqual(all);
    expect(second.nextCursor).toBeNull();
  });

  test('are taken once for a member, however often the member is named', async () => {
    const { tenant, members } = await withMembers('free', 2);
    const [one, two] = members;
    const answers = await Promise.all(Array.from({ length: 4 }, () => add(tenant, one)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await add(tenant, two)).status).toBe(402);
    const { displayName } = await tenant.call('connect.agents.add', {
      body: { userId: one.userId, displayName: 'Ada' },
    });
    expect(displayName).toBe('Ada');
    await eventually(async () => expect(await seatsOf(tenant.orgId)).toBe(1));
  });

  test('are free again at once when an agent is removed, whose conversations have no assignee then', async () => {
    const shop = await newShop({ plan: 'free' });
    const agent = await newAgent(shop);
    const { conversationId } = await (await newVisitor(shop)).say('hello');
    const path = { id: conversationId };
    await agent.call('connect.messages.create', { path, body: { text: 'hi' } });
    const next = await newMember(shop);
    expect((await add(shop, next)).status).toBe(402);
    await shop.call('connect.agents.delete', { path: { userId: agent.userId } });
    expect((await add(shop, next)).status).toBe(201);
    expect((await agent.attempt('connect.conversations.list', {})).status).toBe(403);
    expect((await next.call('connect.conversations.read', { path })).assigneeId).toBeNull();
    expect((await shop.attempt('connect.agents.delete', { path: { userId: agent.userId } })).status).toBe(404);
  });

  test('are freed by a member who leaves', async () => {
    const { tenant, members } = await withMembers('free', 2);
    const [leaving, next] = members;
    expect((await add(tenant, leaving)).status).toBe(201);
    const slug = tenant.orgId.replace('_', '-');
    await leaving.call('identity.members.remove', { path: { slug, userId: leaving.userId } });
    await until(async () => (await agentsOf(tenant)).length === 0);
    expect((await add(tenant, next)).status).toBe(201);
  });

  test('are freed by the next agent, where it was not heard that one has left', async () => {
    const { tenant, members } = await withMembers('free', 2);
    const [one, next] = members;
    expect((await add(tenant, one)).status).toBe(201);
    const gone = newId('usr');
    await withDatabase(await databaseUrlOf(await sharedPlatform()), async (database) => {
      const agents = database.collection<{ _id: string; userId: string }>('connect_agents');
      const agent = (await agents.findOne({ _id: `${tenant.orgId}:${one.userId}` }))!;
      await agents.deleteOne({ _id: agent._id });
      await agents.insertOne({ ...agent, _id: `${tenant.orgId}:${gone}`, userId: gone });
    });
    expect((await add(tenant, next)).status).toBe(201);
    expect(await agentsOf(tenant)).toEqual([next.userId]);
  });
});

describe('agents', () => {
  let shop: Client & Tenant;
  let owner: Client & User;

  beforeAll(async () => {
    shop = await newShop();
    owner = await newMember(shop, 'owner');
  });

  test('are named by owners and admins, and only from among the members', async () => {
    const [admin, member] = [await newMember(shop, 'admin'), await newMember(shop)];
    expect((await add(owner, member)).status).toBe(201);
    expect((await add(admin, admin)).status).toBe(201);
    expect((await add(member, owner)).status).toBe(403);
    const stranger = await newMember(await newShop());
    for (const userId of [stranger.userId, newId('usr'), 'x', '']) {
      const answer = await add(owner, { userId });
      expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'body.userId' }] } });
    }
    expect(await agentsOf(shop)).toEqual([admin.userId, member.userId].sort());
  });

  test('are not needed by a key that may write', async () => {
    const visitor = await newVisitor(shop);
    const { conversationId } = await visitor.say('hello');
    const path = { id: conversationId };
    await shop.call('connect.messages.create', { path, body: { text: 'An automatic answer' } });
    expect((await visitor.read()).data[1]).toMatchObject({ from: 'team', name: null });
    const { data } = await shop.call('connect.messages.list', { path, query: {} });
    expect(data[1]!.author).toEqual({ type: 'application', id: shop.applicationId, name: null });
  });
});
