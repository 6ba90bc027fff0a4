import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { day } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { ConversationDocument } from '../../../models/connect/conversation.ts';
import type { Client } from '../../support/client.ts';
import type { ErrorBody } from '../../support/http.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import type { User } from '../../support/user-client.ts';
import { newAgent, newMember, newShop, newVisitor, signedBy, type Visitor } from '../../support/widget-client.ts';

type Shop = Client & Tenant & { siteId: string };

let shop: Shop;
let agent: Client & User;
let visitor: Visitor;
let id: string;

beforeAll(async () => {
  shop = await newShop();
  agent = await newAgent(shop);
  visitor = await newVisitor(shop);
  id = (await visitor.say('Does the saddle fit?')).conversationId;
});

const read = (client: Client, conversationId = id) =>
  client.call('connect.conversations.read', { path: { id: conversationId } });
const messagesOf = (client: Client, conversationId = id) =>
  client.call('connect.messages.list', { path: { id: conversationId }, query: { after: '0' } });
const answer = (client: Client, body: object, conversationId = id) =>
  client.attempt('connect.messages.create', { path: { id: conversationId }, body });

async function storedConversations(orgId: string): Promise<string> {
  return await withDatabase(await databaseUrlOf(await sharedPlatform()), async (database) => {
    const found = ['connect_conversations', 'connect_messages'].map((name) =>
      database.collection(name).find({ orgId }).sort({ _id: 1 }).toArray(),
    );
    return JSON.stringify(await Promise.all(found));
  });
}

async function change(conversationId: string, fields: Partial<ConversationDocument>): Promise<void> {
  await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database
      .collection<ConversationDocument>('connect_conversations')
      .updateOne({ _id: conversationId }, { $set: fields }),
  );
}

describe('a conversation', () => {
  test('begins with the first message of a visitor, and is in the inbox', async () => {
    const { data } = await agent.call('connect.conversations.list', { query: {} });
    expect(data).toEqual([
      expect.objectContaining({
        conversationId: id,
        channel: 'web',
        siteId: shop.siteId,
        visitorId: visitor.visitorId,
        customerId: null,
        customerName: 'Visitor',
        lastMessage: 'Does the saddle fit?',
        status: 'open',
        assigneeId: null,
        unreadCount: 1,
        lastSeq: 1,
      }),
    ]);
    expect((await read(agent)).visitor).toMatchObject({
      visitorId: visitor.visitorId,
      isIdentified: false,
      email: null,
    });
  });

  test('has messages and notes of both sides under numbers without gaps, and the visitor sees no note', async () => {
    const person = await newVisitor(shop);
    const { conversationId } = await person.say('one');
    expect((await answer(agent, { text: 'two' }, conversationId)).status).toBe(201);
    await agent.call('connect.notes.create', { path: { id: conversationId }, body: { text: 'Only for us' } });
    await answer(agent, { text: 'four' }, conversationId);
    const { data, lastSeq } = await messagesOf(agent, conversationId);
    expect(lastSeq).toBe(4);
    expect(data.map(({ seq, type, text, author }) => [seq, type, text, author.type])).toEqual([
      [1, 'message', 'one', 'visitor'],
      [2, 'message', 'two', 'agent'],
      [3, 'note', 'Only for us', 'agent'],
      [4, 'message', 'four', 'agent'],
    ]);
    const seen = await person.read();
    expect(seen.data.map(({ seq, from, text, name }) => [seq, from, text, name])).toEqual([
      [1, 'visitor', 'one', null],
      [2, 'team', 'two', 'Grace'],
      [3, 'team', 'four', 'Grace'],
    ]);
    expect(JSON.stringify(seen)).not.toContain('Only for us');
    expect(seen.conversation).toMatchObject({ lastSeq: 3, unreadCount: 2, lastMessage: 'four' });
  });

  test('is read from both ends, in pages', async () => {
    const person = await newVisitor(shop);
    const { conversationId } = await person.say('1');
    for (let at = 2; at <= 7; at += 1) await person.say(String(at));
    const page = async (query: Record<string, string>) => {
      const { data, hasMore } = await agent.call('connect.messages.list', { path: { id: conversationId }, query });
      return [data.map(({ seq }) => seq), hasMore];
    };
    expect(await page({ limit: '3' })).toEqual([[5, 6, 7], true]);
    expect(await page({ limit: '3', before: '5' })).toEqual([[2, 3, 4], true]);
    expect(await page({ limit: '3', before: '2' })).toEqual([[1], false]);
    expect(await page({ limit: '3', after: '0' })).toEqual([[1, 2, 3], true]);
    expect(await page({ limit: '4', after: '3' })).toEqual([[4, 5, 6, 7], false]);
    expect(await page({ after: '7' })).toEqual([[], false]);
  });

  test('takes a message once, however often it is sent with an echoId or an Idempotency-Key', async () => {
    const person = await newVisitor(shop);
    const { conversationId } = await person.say('hello', 'e1');
    await person.say('hello', 'e1');
    const other = await person.send('POST', '/v1/widget/messages', { text: 'another', echoId: 'e1' });
    expect(other).toMatchObject({ status: 409, body: { error: 'IDEMPOTENCY_MISMATCH' } });
    const echoed = [await answer(agent, { text: 'hi', echoId: 'e1' }, conversationId)];
    echoed.push(await answer(agent, { text: 'hi', echoId: 'e1' }, conversationId));
    expect(echoed.map(({ status, body }) => [status, body.seq])).toEqual([
      [201, 2],
      [201, 2],
    ]);
    const keyed = { 'Idempotency-Key': randomUUID() };
    const send = () =>
      agent.attempt('connect.messages.create', { path: { id: conversationId }, body: { text: 'once' } }, keyed);
    expect([(await send()).body.seq, (await send()).body.seq]).toEqual([3, 3]);
    expect((await messagesOf(agent, conversationId)).lastSeq).toBe(3);
  });

  test('counts what each side has not read, and shows the other how far it has', async () => {
    const person = await newVisitor(shop);
    const { conversationId } = await person.say('1');
    await person.say('2');
    await answer(agent, { text: '3' }, conversationId);
    await agent.call('connect.notes.create', { path: { id: conversationId }, body: { text: '4' } });
    await answer(agent, { text: '5' }, conversationId);
    const markRead = (seq: number) =>
      agent.call('connect.conversations.read-up-to', { path: { id: conversationId }, body: { seq } });
    expect(await markRead(1)).toMatchObject({ unreadCount: 1, agentReadSeq: 1 });
    expect(await markRead(99)).toMatchObject({ unreadCount: 0, agentReadSeq: 5 });
    // What was read stays read.
    expect(await markRead(1)).toMatchObject({ unreadCount: 0, agentReadSeq: 5 });
    expect((await person.read()).conversation).toMatchObject({ agentReadSeq: 4, unreadCount: 2 });
    const theirs = await person.send('POST', '/v1/widget/read', { seq: 3 });
    expect(theirs).toMatchObject({ status: 200, body: { readSeq: 3, unreadCount: 1 } });
    expect(await read(agent, conversationId)).toMatchObject({ visitorReadSeq: 3 });
    await person.say('6');
    expect(await read(agent, conversationId)).toMatchObject({ unreadCount: 1, lastSeq: 6 });
  });

  test('is assigned to the agent who answers first, and by PATCH to any agent', async () => {
    const person = await newVisitor(shop);
    const { conversationId } = await person.say('hello');
    await answer(shop, { text: 'an automatic answer' }, conversationId);
    expect((await read(agent, conversationId)).assigneeId).toBeNull();
    await answer(agent, { text: 'hi' }, conversationId);
    expect((await read(agent, conversationId)).assigneeId).toBe(agent.userId);
    const second = await newAgent(shop, { displayName: null });
    const patch = (assigneeId: string | null) =>
      agent.call('connect.conversations.update', { path: { id: conversationId }, body: { assigneeId } });
    expect((await patch(second.userId)).assigneeId).toBe(second.userId);
    expect((await patch(null)).assigneeId).toBeNull();
  });

  test('that is closed is opened again by the visitor for seven days, and then another one begins', async () => {
    const person = await newVisitor(shop);
    const { conversationId } = await person.say('1');
    const close = () =>
      agent.call('connect.conversations.update', { path: { id: conversationId }, body: { status: 'closed' } });
    expect((await close()).status).toBe('closed');
    await change(conversationId, { closedAt: new Date(Date.now() - 7 * day + 60_000) });
    expect((await person.say('2')).conversationId).toBe(conversationId);
    expect((await read(agent, conversationId)).status).toBe('open');
    await close();
    await answer(agent, { text: 'One more thing' }, conversationId);
    expect((await read(agent, conversationId)).status).toBe('open');
    await close();
    await change(conversationId, { closedAt: new Date(Date.now() - 7 * day) });
    const next = await person.say('3');
    expect(next).toMatchObject({ seq: 1 });
    expect(next.conversationId).not.toBe(conversationId);
    expect((await person.read()).conversation?.conversationId).toBe(next.conversationId);
    const former = await person.read(`?after=0&conversationId=${conversationId}`);
    expect(former.data.map(({ text }) => text)).toEqual(['1', '2', 'One more thing']);
    const { data } = (await person.send<{ data: object[] }>('GET', '/v1/widget/conversations')).body;
    expect(data).toMatchObject([{ conversationId: next.conversationId }, { conversationId }]);
    type Page = { data: { conversationId: string }[]; nextCursor: string | null };
    const list = (query: string) => person.send<Page>('GET', `/v1/widget/conversations?limit=1${query}`);
    const first = (await list('')).body;
    expect(first).toMatchObject({ data: [{ conversationId: next.conversationId }], nextCursor: expect.any(String) });
    const second = (await list(`&cursor=${first.nextCursor}`)).body;
    expect(second).toMatchObject({ data: [{ conversationId }], nextCursor: null });
    expect((await list('&cursor=x')).status).toBe(400);
  });
});

describe('the list of conversations', () => {
  test('is filtered by status, assignee, customer and site, and goes in pages', async () => {
    const own = await newShop();
    const grace = await newAgent(own);
    const { secret } = await own.call('connect.sites.create-secret', { path: { siteId: own.siteId } });
    const other = await own.call('connect.sites.create', {
      body: { name: 'Second', allowedOrigins: ['https://shop.example.com'] },
    });
    const begin = async (about: object = {}) => (await (await newVisitor(own, about)).say('hello')).conversationId;
    const [plain, assigned, closed, elsewhere] = [
      await begin(),
      await begin(),
      await begin(),
      await begin({ siteId: other.siteId }),
    ];
    const customer = await begin(signedBy(secret, { id: 'C-1' }));
    await grace.call('connect.conversations.update', { path: { id: assigned }, body: { assigneeId: grace.userId } });
    await grace.call('connect.conversations.update', { path: { id: closed }, body: { status: 'closed' } });
    const list = async (query: object) => {
      const { data } = await grace.call('connect.conversations.list', { query });
      return data.map(({ conversationId }) => conversationId);
    };
    expect(await list({})).toEqual([customer, elsewhere, closed, assigned, plain]);
    expect(await list({ status: 'closed' })).toEqual([closed]);
    expect(await list({ assigneeId: grace.userId })).toEqual([assigned]);
    expect(await list({ assigneeId: 'none', status: 'open' })).toEqual([customer, elsewhere, plain]);
    expect(await list({ customerId: 'C-1' })).toEqual([customer]);
    expect(await list({ siteId: other.siteId })).toEqual([elsewhere]);
    const first = await grace.call('connect.conversations.list', { query: { limit: '2' } });
    const second = await grace.call('connect.conversations.list', {
      query: { limit: '3', cursor: first.nextCursor! },
    });
    const pages = [...first.data, ...second.data].map(({ conversationId }) => conversationId);
    expect(pages).toEqual([customer, elsewhere, closed, assigned, plain]);
    expect(second.nextCursor).toBeNull();
  });
});

describe('the filter of unread messages', () => {
  test('separates the conversations, each part in its order and in pages, with the other filters', async () => {
    const own = await newShop();
    const grace = await newAgent(own);
    const ids: string[] = [];
    for (let number = 0; number < 6; number += 1) ids.push((await (await newVisitor(own)).say('hello')).conversationId);
    const [a = '', b = '', c = '', d = '', e = '', f = ''] = ids;
    for (const id of [b, d, f])
      await grace.call('connect.conversations.read-up-to', { path: { id }, body: { seq: 1 } });
    await grace.call('connect.conversations.update', { path: { id: a }, body: { status: 'closed' } });
    await grace.call('connect.conversations.update', { path: { id: d }, body: { assigneeId: grace.userId } });
    const list = (query: object) => grace.call('connect.conversations.list', { query });
    const idsOf = ({ data }: { data: { conversationId: string }[] }) =>
      data.map(({ conversationId }) => conversationId);
    expect(idsOf(await list({ unread: 'true' }))).toEqual([e, c, a]);
    expect(idsOf(await list({ unread: 'true', status: 'open' }))).toEqual([e, c]);
    expect(idsOf(await list({ unread: 'false' }))).toEqual([f, d, b]);
    expect(idsOf(await list({ unread: 'false', assigneeId: grace.userId }))).toEqual([d]);
    expect(idsOf(await list({}))).toEqual([f, e, d, c, b, a]);
    for (const [unread, expected] of [
      ['true', [e, c, a]],
      ['false', [f, d, b]],
    ] as const) {
      const first = await list({ unread, limit: '2' });
      const second = await list({ unread, limit: '2', cursor: first.nextCursor });
      expect([...idsOf(first), ...idsOf(second)]).toEqual(expected);
      expect(second.nextCursor).toBeNull();
    }
  });
});

describe('the search of conversations', () => {
  let own: Awaited<ReturnType<typeof newShop>>;
  let zoe: string;
  let jean: string;

  const find = async (q: string, more: object = {}, client: Client = own) => {
    const { data } = await client.call('connect.conversations.list', { query: { q, ...more } });
    return data.map(({ conversationId }) => conversationId);
  };

  beforeAll(async () => {
    own = await newShop();
    const { secret } = await own.call('connect.sites.create-secret', { path: { siteId: own.siteId } });
    const signed = signedBy(secret, { id: 'C-7', name: 'Zoë Łukasz', email: 'Zoe@Example.com' });
    zoe = (await (await newVisitor(own, signed)).say('hello')).conversationId;
    const anonymous = await newVisitor(own);
    const body = { text: 'hello', echoId: 'one', name: 'Jean Bartik', email: 'jean@example.com' };
    await anonymous.send('POST', '/v1/widget/messages', body);
    jean = (await anonymous.read()).conversation!.conversationId;
    await (await newVisitor(own)).say('without a name');
  });

  test.each([
    ['an id', () => zoe, () => [zoe]],
    ["a customer's id", () => 'C-7', () => [zoe]],
    ['the beginning of an id', () => 'C-', () => []],
    ['an email address that is signed', () => ' zoe@example.COM ', () => [zoe]],
    ['an email address that is not', () => 'jean@example.com', () => [jean]],
    ['the beginning of an address', () => 'jean@', () => []],
    ['the beginning of a name without its accents', () => 'zoe  l', () => [zoe]],
    ['the beginning of a name in capitals', () => 'JEAN', () => [jean]],
    ['the middle of a name', () => 'bartik', () => []],
    ['the word for a visitor without a name', () => 'Visitor', () => []],
    ['a pattern', () => '.*', () => []],
  ])('finds by %s', async (_name, q, found) => {
    expect(await find(q())).toEqual(found());
  });

  test('finds within the other filters, page by page, and nothing of other organizations', async () => {
    expect(await find('jean', { status: 'closed' })).toEqual([]);
    expect(await find('jean', { status: 'open', unread: 'true' })).toEqual([jean]);
    const { secret } = await own.call('connect.sites.create-secret', { path: { siteId: own.siteId } });
    const others: string[] = [];
    for (const id of ['one', 'two', 'three'])
      others.unshift(
        (await (await newVisitor(own, signedBy(secret, { id, name: `Ada ${id}` }))).say('a')).conversationId,
      );
    const query = { q: 'ada', limit: '2' };
    const first = await own.call('connect.conversations.list', { query });
    const second = await own.call('connect.conversations.list', { query: { ...query, cursor: first.nextCursor! } });
    expect([...first.data, ...second.data].map(({ conversationId }) => conversationId)).toEqual(others);
    expect(second.nextCursor).toBeNull();
    const stranger = await newShop();
    for (const q of ['jean', zoe, 'C-7', 'jean@example.com']) expect(await find(q, {}, stranger)).toEqual([]);
  });

  test('finds a conversation of an earlier version by its id, and by the name after a message', async () => {
    await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database
        .collection<ConversationDocument>('connect_conversations')
        .updateOne({ _id: jean }, { $unset: { nameKey: '' } }),
    );
    expect([await find('jean'), await find(jean)]).toEqual([[], [jean]]);
    await own.call('connect.notes.create', { path: { id: jean }, body: { text: 'known' } });
    expect(await find('jean')).toEqual([jean]);
  });
});

describe('what is refused changes nothing:', () => {
  let stranger: Client & Tenant;
  let member: Client & User;
  let reader: Client;

  beforeAll(async () => {
    [stranger, member] = await Promise.all([newShop(), newMember(shop, 'owner')]);
    const scoped = await newTenantClient({ scopes: ['connect.read'] });
    reader = scoped;
  });

  const long = 'x'.repeat(5001);
  type Case = [
    name: string,
    client: () => Client,
    method: string,
    path: string,
    body: unknown,
    status: number,
    error: string,
  ];
  const own = '/v1/conversations/:id';

  test.each<Case>([
    ['an empty answer', () => agent, 'POST', `${own}/messages`, { text: '  ' }, 400, 'INPUT_INVALID'],
    ['a long one', () => agent, 'POST', `${own}/messages`, { text: long }, 400, 'INPUT_INVALID'],
    ['a control character', () => agent, 'POST', `${own}/messages`, { text: 'a\u0000b' }, 400, 'INPUT_INVALID'],
    [
      'an echoId with a blank',
      () => agent,
      'POST',
      `${own}/messages`,
      { text: 'a', echoId: 'a b' },
      400,
      'INPUT_INVALID',
    ],
    ['an unknown file', () => agent, 'POST', `${own}/messages`, { attachments: ['obj_1'] }, 400, 'INPUT_INVALID'],
    ['an unknown field', () => agent, 'POST', `${own}/messages`, { text: 'a', html: '<b>' }, 400, 'INPUT_INVALID'],
    ['an empty note', () => agent, 'POST', `${own}/notes`, { text: '' }, 400, 'INPUT_INVALID'],
    ['another status', () => agent, 'PATCH', own, { status: 'done' }, 400, 'INPUT_INVALID'],
    ['an assignee who is no agent', () => agent, 'PATCH', own, { assigneeId: newId('usr') }, 400, 'INPUT_INVALID'],
    ['reading up to none', () => agent, 'POST', `${own}/read`, { seq: 0 }, 400, 'INPUT_INVALID'],
    [
      'an unknown conversation',
      () => agent,
      'POST',
      '/v1/conversations/conv_1/messages',
      { text: 'a' },
      404,
      'NOT_FOUND',
    ],
    ['an owner without a seat reads', () => member, 'GET', own, undefined, 403, 'AGENT_REQUIRED'],
    ['an owner without a seat lists', () => member, 'GET', '/v1/conversations', undefined, 403, 'AGENT_REQUIRED'],
    ['an owner without a seat answers', () => member, 'POST', `${own}/messages`, { text: 'a' }, 403, 'AGENT_REQUIRED'],
    ['an owner without a seat changes', () => member, 'PATCH', own, { status: 'closed' }, 403, 'AGENT_REQUIRED'],
    ['a key that reads answers', () => reader, 'POST', `${own}/messages`, { text: 'a' }, 403, 'PERMISSION_DENIED'],
    [
      'an agent changes settings',
      () => agent,
      'PUT',
      '/v1/connect/settings',
      { enabled: false },
      403,
      'PERMISSION_DENIED',
    ],
    [
      'an agent makes an agent',
      () => agent,
      'POST',
      '/v1/connect/agents',
      { userId: 'usr_1' },
      403,
      'PERMISSION_DENIED',
    ],
    ['another organization reads', () => stranger, 'GET', own, undefined, 404, 'NOT_FOUND'],
    ['another organization reads messages', () => stranger, 'GET', `${own}/messages`, undefined, 404, 'NOT_FOUND'],
    ['another organization answers', () => stranger, 'POST', `${own}/messages`, { text: 'a' }, 404, 'NOT_FOUND'],
    ['another organization notes', () => stranger, 'POST', `${own}/notes`, { text: 'a' }, 404, 'NOT_FOUND'],
    ['another organization closes', () => stranger, 'PATCH', own, { status: 'closed' }, 404, 'NOT_FOUND'],
    ['another organization looks', () => stranger, 'POST', `${own}/looking`, { looking: true }, 404, 'NOT_FOUND'],
    ['an owner without a seat looks', () => member, 'POST', `${own}/looking`, { looking: true }, 403, 'AGENT_REQUIRED'],
    ['looking without saying whether', () => agent, 'POST', `${own}/looking`, {}, 400, 'INPUT_INVALID'],
    ['another organization types', () => stranger, 'POST', `${own}/typing`, undefined, 404, 'NOT_FOUND'],
    ['a wrong cursor', () => agent, 'GET', '/v1/conversations?cursor=abc', undefined, 400, 'CURSOR_INVALID'],
    ['a wrong filter', () => agent, 'GET', '/v1/conversations?status=done', undefined, 400, 'INPUT_INVALID'],
    ['a search for nothing', () => agent, 'GET', '/v1/conversations?q=%20', undefined, 400, 'INPUT_INVALID'],
    ['unread perhaps', () => agent, 'GET', '/v1/conversations?unread=1', undefined, 400, 'INPUT_INVALID'],
  ])('%s', async (_name, client, method, path, body, status, error) => {
    const before = await storedConversations(shop.orgId);
    const answered = await client().send<ErrorBody>(method, path.replace(':id', id), body);
    expect(answered).toMatchObject({ status, body: { error } });
    expect(await storedConversations(shop.orgId)).toBe(before);
  });

  test('a look without a credential, and one of an agent', async () => {
    const before = await storedConversations(shop.orgId);
    const at = `/v1/conversations/${id}/looking`;
    expect((await shop.send('POST', at, { looking: true }, { authorization: null })).status).toBe(401);
    expect((await agent.send('POST', at, { looking: true })).status).toBe(204);
    expect(await storedConversations(shop.orgId)).toBe(before);
  });

  test('a member without a seat as the assignee', async () => {
    const body = { assigneeId: member.userId };
    const answered = await agent.attempt('connect.conversations.update', { path: { id }, body });
    expect(answered).toMatchObject({ status: 400, body: { details: [{ path: 'body.assigneeId' }] } });
    expect((await read(agent)).assigneeId).toBeNull();
  });
});

describe('files', () => {
  const file = { fileName: 'fit.txt', mimeType: 'text/plain', size: 5 };
  type Upload = { attachmentId: string; uploadUrl: string; headers: Record<string, string> };

  async function uploaded({ attachmentId, uploadUrl, headers }: Upload): Promise<string> {
    const { status } = await fetch(uploadUrl, { method: 'PUT', headers, body: 'hello' });
    expect(status).toBe(200);
    return attachmentId;
  }

  test('go by signed addresses, and are readable by both sides of the conversation alone', async () => {
    const person = await newVisitor(shop);
    const theirs = await uploaded((await person.send<Upload>('POST', '/v1/widget/attachments', file)).body);
    const sent = await person.send<ErrorBody & { conversationId: string; attachments: object[] }>(
      'POST',
      '/v1/widget/messages',
      { echoId: 'f', attachments: [theirs] },
    );
    expect(sent.body.attachments).toEqual([
      { attachmentId: theirs, fileName: 'fit.txt', mimeType: 'text/plain', size: 5 },
    ]);
    const { conversationId } = sent.body;
    const ours = await uploaded(
      await agent.call('connect.attachments.create', { path: { id: conversationId }, body: file }),
    );
    expect((await answer(agent, { attachments: [ours] }, conversationId)).status).toBe(201);
    await person.say('thanks');
    for (const attachmentId of [theirs, ours]) {
      const { url } = await agent.call('connect.attachments.read', { path: { id: conversationId, attachmentId } });
      const download = await fetch(url);
      expect(await download.text()).toBe('hello');
      // Saved under its name and never shown, whatever a visitor says that it is.
      expect(download.headers.get('content-disposition')).toBe(`attachment; filename="${file.fileName}"`);
      const path = `/v1/widget/attachments/${attachmentId}?conversationId=${conversationId}`;
      const seen = await person.send<{ url: string }>('GET', path);
      expect(await (await fetch(seen.body.url)).text()).toBe('hello');
      const [foreign, other] = [await newVisitor(shop), await newShop()];
      expect((await foreign.send('GET', path)).status).toBe(404);
      const theirPath = { id: conversationId, attachmentId };
      expect((await other.attempt('connect.attachments.read', { path: theirPath })).status).toBe(404);
      // Without the signature it is not there, for the organization's own keys either.
      expect((await shop.send('GET', url.replace(/\?.*$/, ''))).status).toBe(404);
    }
    // Another visitor cannot send it as theirs.
    const thief = await newVisitor(shop);
    const stolen = await thief.send('POST', '/v1/widget/messages', { echoId: 'f', attachments: [theirs] });
    expect(stolen).toMatchObject({ status: 400, body: { details: [{ path: 'body.attachments.0' }] } });
    const buckets = await shop.call('storage.buckets.list', { query: {} });
    expect(buckets.data.filter(({ name }) => name.endsWith('_connect'))).toEqual([]);
  });

  test.each([
    ['without a name', { ...file, fileName: '' }],
    ['too large', { ...file, size: 10 * 1024 * 1024 + 1 }],
    ['of no media type', { ...file, mimeType: 'text' }],
  ])('are refused %s', async (_name, body) => {
    expect((await visitor.send('POST', '/v1/widget/attachments', body)).status).toBe(400);
  });
});
