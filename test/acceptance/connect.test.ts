import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { listen } from '../support/event-client.ts';
import { eventually } from '../support/until.ts';
import { askForSession, newVisitor, shopOrigin, signedBy, type Visitor } from '../support/widget-client.ts';
import { covers } from './covers.ts';

const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`));
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

type Site = { siteId: string };

/** Works with a site of its own, which is removed afterwards. */
async function withSite(own: Client, work: (site: Site) => Promise<void>): Promise<void> {
  const body = { name: 'Of a test', allowedOrigins: [shopOrigin] };
  const site = await own.call('connect.sites.create', { body });
  try {
    await work(site);
  } finally {
    await own.attempt('connect.sites.delete', { path: { siteId: site.siteId } });
  }
}

/** Works with a conversation that a visitor has begun. */
async function withConversation(
  own: Client,
  work: (about: { visitor: Visitor; conversationId: string; siteId: string }) => Promise<void>,
): Promise<void> {
  await withSite(own, async ({ siteId }) => {
    const visitor = await newVisitor(own, { siteId });
    const { conversationId } = await visitor.say('Does the saddle fit?');
    await work({ visitor, conversationId, siteId });
  });
}

const read = (own: Client, conversationId: string) =>
  own.call('connect.conversations.read', { path: { id: conversationId } });

const file = { fileName: 'fit.txt', mimeType: 'text/plain', size: 5 };
type Upload = { attachmentId: string; uploadUrl: string; headers: Record<string, string> };

async function put({ uploadUrl, headers, attachmentId }: Upload): Promise<string> {
  const { status } = await fetch(uploadUrl, { method: 'PUT', headers, body: 'hello' });
  expect(status).toBe(200);
  return attachmentId;
}

covers('conversations.list', async ({ own, other }) => {
  await withConversation(own, async ({ conversationId }) => {
    const list = await own.send<{ data: object[] }>('GET', '/v1/conversations?limit=1');
    expect(list.status).toBe(200);
    expect(list.body.data).toEqual([
      expect.objectContaining({
        conversationId,
        channel: 'web',
        customerName: expect.any(String),
        lastMessage: 'Does the saddle fit?',
        status: 'open',
      }),
    ]);
    const theirs = await other.send('GET', '/v1/conversations');
    expect(theirs.text).not.toContain(conversationId);
  });
});

covers('conversations.read', async ({ own, other }) => {
  await withConversation(own, async ({ conversationId, visitor: { visitorId }, siteId }) => {
    expect(await read(own, conversationId)).toMatchObject({
      conversationId: id('conv'),
      siteId,
      visitor: { visitorId, isIdentified: false },
      updatedAt: timestamp,
    });
    const path = { id: conversationId };
    expect((await other.attempt('connect.conversations.read', { path })).status).toBe(404);
  });
});

covers('conversations.update', async ({ own }) => {
  await withConversation(own, async ({ conversationId, visitor }) => {
    const update = (body: object) =>
      own.attempt('connect.conversations.update', { path: { id: conversationId }, body });
    for (const status of ['pending', 'closed', 'open'])
      expect((await update({ status })).body).toMatchObject({ status });
    expect((await update({ status: 'done' })).status).toBe(400);
    expect((await update({ assigneeId: 'usr_1' })).status).toBe(400);
    await update({ status: 'closed' });
    await visitor.say('One more thing');
    expect((await read(own, conversationId)).status).toBe('open');
  });
});

covers('conversations.messages', async ({ own }) => {
  await withConversation(own, async ({ conversationId, visitor }) => {
    const path = { id: conversationId };
    await own.call('connect.notes.create', { path, body: { text: 'internal' } });
    await visitor.say('two');
    const { data } = await own.call('connect.messages.list', { path, query: { after: '1' } });
    expect(data.map(({ seq, type, text }) => [seq, type, text])).toEqual([
      [2, 'note', 'internal'],
      [3, 'message', 'two'],
    ]);
  });
});

covers('conversations.answer', async ({ own }) => {
  await withConversation(own, async ({ conversationId, visitor }) => {
    const body = { text: 'It does.', echoId: randomUUID() };
    const answer = () => own.attempt('connect.messages.create', { path: { id: conversationId }, body });
    const [first, second] = [await answer(), await answer()];
    expect([first.status, second.body.messageId]).toEqual([201, first.body.messageId]);
    expect((await visitor.read()).data).toMatchObject([{ seq: 1 }, { seq: 2, from: 'team', text: 'It does.' }]);
  });
});

covers('conversations.note', async ({ own }) => {
  await withConversation(own, async ({ conversationId, visitor }) => {
    const note = await own.call('connect.notes.create', { path: { id: conversationId }, body: { text: 'internal' } });
    expect(note).toMatchObject({ messageId: id('cmsg'), type: 'note', seq: 2 });
    expect(JSON.stringify(await visitor.read())).not.toContain('internal');
  });
});

covers('conversations.read-up-to', async ({ own }) => {
  await withConversation(own, async ({ conversationId, visitor }) => {
    const path = { id: conversationId };
    expect(await read(own, conversationId)).toMatchObject({ unreadCount: 1 });
    const marked = await own.call('connect.conversations.read-up-to', { path, body: { seq: 1 } });
    expect(marked).toMatchObject({ unreadCount: 0, agentReadSeq: 1 });
    expect((await visitor.read()).conversation).toMatchObject({ agentReadSeq: 1 });
  });
});

covers('conversations.typing', async ({ own }) => {
  await withConversation(own, async ({ conversationId, visitor }) => {
    const stream = await visitor.listen();
    await stream.take('open');
    await own.call('connect.conversations.typing', { path: { id: conversationId } });
    expect((await stream.take('typing'))[0]!.data).toMatchObject({ conversationId, by: 'agent' });
    stream.close();
  });
});

covers('conversations.file', async ({ own }) => {
  await withConversation(own, async ({ conversationId }) => {
    const path = { id: conversationId };
    const attachment = await put(await own.call('connect.attachments.create', { path, body: file }));
    const { attachments } = await own.call('connect.messages.create', { path, body: { attachments: [attachment] } });
    expect(attachments).toEqual([{ attachmentId: attachment, ...file }]);
  });
});

covers('conversations.read-file', async ({ own, other }) => {
  await withConversation(own, async ({ conversationId }) => {
    const path = { id: conversationId };
    const attachmentId = await put(await own.call('connect.attachments.create', { path, body: file }));
    await own.call('connect.messages.create', { path, body: { attachments: [attachmentId] } });
    const { url } = await own.call('connect.attachments.read', { path: { ...path, attachmentId } });
    expect(await (await fetch(url)).text()).toBe('hello');
    expect((await fetch(url.replace(/\?.*/, ''))).status).toBe(401);
    expect((await other.attempt('connect.attachments.read', { path: { ...path, attachmentId } })).status).toBe(404);
  });
});

covers('conversations.looking', async ({ own }) => {
  await withConversation(own, async ({ conversationId }) => {
    const headers = { authorization: `Bearer ${own.apiKey}`, 'x-tenant-id': own.orgId };
    const stream = await listen(own.url, '/v1/connect/stream', headers);
    await stream.take('open');
    await own.call('connect.conversations.looking', { path: { id: conversationId }, body: { looking: true } });
    expect((await stream.take('looking'))[0]!.data).toMatchObject({ conversationId, looking: true });
    stream.close();
  });
});

covers('connect.stream', async ({ own }) => {
  await withConversation(own, async ({ conversationId, visitor }) => {
    const headers = { authorization: `Bearer ${own.apiKey}`, 'x-tenant-id': own.orgId };
    const stream = await listen(own.url, '/v1/connect/stream', headers);
    await stream.take('open');
    await visitor.say('two');
    await eventually(() =>
      expect(stream.events.map(({ data }) => data)).toContainEqual(
        expect.objectContaining({ conversationId, seq: 2, isNote: false }),
      ),
    );
    stream.close();
  });
});

covers('connect.settings', async ({ own }) => {
  const settings = await own.call('connect.settings.read', {});
  expect(settings).toMatchObject({ siteId: id('site'), allowedOrigins: expect.any(Array), enabled: true });
  expect(await own.call('connect.settings.read', {})).toEqual(settings);
});

covers('connect.settings-write', async ({ own }) => {
  const { allowedOrigins, greeting, colour } = await own.call('connect.settings.read', {});
  const body = { allowedOrigins: ['https://settings.example.com'], greeting: 'Hi', colour: '#00ff00' };
  expect(await own.call('connect.settings.write', { body })).toMatchObject(body);
  expect((await own.attempt('connect.settings.write', { body: { allowedOrigins: ['*'] } })).status).toBe(400);
  await own.call('connect.settings.write', { body: { allowedOrigins, greeting, colour } });
});

covers('connect.sites', async ({ own, other }) => {
  await withSite(own, async ({ siteId }) => {
    expect((await own.call('connect.sites.list', { query: { limit: '100' } })).data).toContainEqual(
      expect.objectContaining({ siteId }),
    );
    expect((await other.send('GET', '/v1/connect/sites')).text).not.toContain(siteId);
  });
});

covers('connect.sites-create', async ({ own }) => {
  const { status, body } = await own.attempt('connect.sites.create', { body: { name: 'Shop' } });
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({ siteId: id('site'), name: 'Shop', allowedOrigins: [], hasSecret: false }),
  ]);
  await own.call('connect.sites.delete', { path: { siteId: body.siteId } });
});

covers('connect.sites-read', async ({ own, other }) => {
  await withSite(own, async ({ siteId }) => {
    expect(await own.call('connect.sites.read', { path: { siteId } })).toMatchObject({ siteId });
    expect((await other.attempt('connect.sites.read', { path: { siteId } })).status).toBe(404);
  });
});

covers('connect.sites-update', async ({ own }) => {
  await withSite(own, async ({ siteId }) => {
    const first = await own.call('connect.settings.read', {});
    await own.call('connect.sites.update', { path: { siteId }, body: { enabled: false } });
    expect(await askForSession(own.url, { tenantId: own.orgId, siteId })).toMatchObject({
      status: 403,
      body: { error: 'SITE_DISABLED' },
    });
    expect(await own.call('connect.settings.read', {})).toEqual(first);
  });
});

covers('connect.sites-delete', async ({ own }) => {
  await withSite(own, async ({ siteId }) => {
    expect((await own.attempt('connect.sites.delete', { path: { siteId } })).status).toBe(204);
    expect((await own.attempt('connect.sites.delete', { path: { siteId } })).status).toBe(404);
    expect((await askForSession(own.url, { tenantId: own.orgId, siteId })).status).toBe(404);
  });
});

covers('connect.secret', async ({ own }) => {
  await withSite(own, async ({ siteId }) => {
    const { secret } = await own.call('connect.sites.create-secret', { path: { siteId } });
    expect(secret.length).toBeGreaterThan(40);
    const site = await own.send('GET', `/v1/connect/sites/${siteId}`);
    expect(site.body).toMatchObject({ hasSecret: true });
    expect(site.text).not.toContain(secret);
  });
});

/** Works with the owner of the organization as an agent. */
async function withAgent(own: Client, userId: string, work: () => Promise<void>): Promise<void> {
  await own.call('connect.agents.add', { body: { userId, displayName: 'Grace' } });
  try {
    await work();
  } finally {
    await own.attempt('connect.agents.delete', { path: { userId } });
  }
}

covers('connect.agents', async ({ own, owner }) => {
  const { id: userId } = await owner.call('identity.me.read', {});
  await withAgent(own, userId, async () => {
    const { data } = await own.call('connect.agents.list', { query: {} });
    expect(data).toContainEqual({ userId, displayName: 'Grace', online: expect.any(Boolean), createdAt: timestamp });
  });
});

covers('connect.agents-add', async ({ own, owner }) => {
  const { id: userId } = await owner.call('identity.me.read', {});
  const tenant = { 'x-tenant-id': own.orgId };
  const ask = () => owner.attempt('connect.conversations.list', {}, tenant);
  expect(await ask()).toMatchObject({ status: 403, body: { error: 'AGENT_REQUIRED' } });
  await withAgent(own, userId, async () => expect((await ask()).status).toBe(200));
});

covers('connect.agents-delete', async ({ own, owner }) => {
  const { id: userId } = await owner.call('identity.me.read', {});
  await withAgent(own, userId, async () => {
    await own.call('connect.agents.delete', { path: { userId } });
    const list = await owner.attempt('connect.conversations.list', {}, { 'x-tenant-id': own.orgId });
    expect(list.status).toBe(403);
    expect((await own.attempt('connect.agents.delete', { path: { userId } })).status).toBe(404);
  });
});

covers('connect.blocks', async ({ own }) => {
  await withConversation(own, async ({ visitor: { visitorId } }) => {
    await own.call('connect.blocks.create', { body: { visitorId, reason: 'Spam' } });
    const { data } = await own.call('connect.blocks.list', { query: {} });
    expect(data).toContainEqual(expect.objectContaining({ type: 'visitor', value: visitorId, reason: 'Spam' }));
    await own.call('connect.blocks.delete', { query: { visitorId } });
  });
});

covers('connect.blocks-create', async ({ own }) => {
  await withConversation(own, async ({ visitor }) => {
    const { visitorId } = visitor;
    await own.call('connect.blocks.create', { body: { visitorId } });
    const written = await visitor.send('POST', '/v1/widget/messages', { text: 'a', echoId: '1' });
    expect(written).toMatchObject({ status: 403, body: { error: 'VISITOR_BLOCKED' } });
    await own.call('connect.blocks.delete', { query: { visitorId } });
  });
});

covers('connect.blocks-delete', async ({ own }) => {
  await withConversation(own, async ({ visitor }) => {
    const { visitorId } = visitor;
    await own.call('connect.blocks.create', { body: { visitorId } });
    await own.call('connect.blocks.delete', { query: { visitorId } });
    expect((await visitor.say('again')).seq).toBe(2);
  });
});

/** Works with a saved reply of its own, which is removed afterwards. */
async function withReply(
  own: Client,
  work: (reply: { replyId: string; name: string }) => Promise<void>,
): Promise<void> {
  const name = `Hours ${randomUUID()}`;
  const { replyId } = await own.call('connect.replies.create', { body: { name, text: 'From 9 to 18.' } });
  try {
    await work({ replyId, name });
  } finally {
    await own.attempt('connect.replies.delete', { path: { replyId } });
  }
}

covers('connect.replies', async ({ own, other }) => {
  await withReply(own, async ({ replyId, name }) => {
    const { data } = await own.call('connect.replies.list', { query: { limit: '100' } });
    expect(data).toContainEqual(expect.objectContaining({ replyId, name, text: 'From 9 to 18.' }));
    expect((await other.send('GET', '/v1/connect/replies')).text).not.toContain(replyId);
  });
});

covers('connect.replies-create', async ({ own }) => {
  await withReply(own, async ({ replyId, name }) => {
    expect(replyId).toEqual(id('rpl'));
    const taken = await own.attempt('connect.replies.create', { body: { name: name.toUpperCase(), text: 'a' } });
    expect(taken).toMatchObject({ status: 409, body: { error: 'CONFLICT' } });
  });
});

covers('connect.replies-update', async ({ own, other }) => {
  await withReply(own, async ({ replyId, name }) => {
    const path = { replyId };
    const changed = await own.call('connect.replies.update', { path, body: { text: 'From 10.' } });
    expect(changed).toMatchObject({ replyId, name, text: 'From 10.' });
    expect((await other.attempt('connect.replies.update', { path, body: { text: 'a' } })).status).toBe(404);
  });
});

covers('connect.replies-delete', async ({ own }) => {
  await withReply(own, async ({ replyId }) => {
    const path = { replyId };
    expect((await own.attempt('connect.replies.delete', { path })).status).toBe(204);
    expect((await own.attempt('connect.replies.delete', { path })).status).toBe(404);
  });
});

covers('widget.site', async ({ own }) => {
  await withSite(own, async ({ siteId }) => {
    const path = `/v1/widget/site?${new URLSearchParams({ tenantId: own.orgId, siteId })}`;
    const ask = (origin: string) => own.send('GET', path, undefined, { authorization: null, origin });
    const answer = await ask(shopOrigin);
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': shopOrigin },
      body: { name: 'Of a test', light: { accent: '#0b57d0', onAccent: '#ffffff' }, dark: expect.any(Object) },
    });
    expect(await ask('https://elsewhere.example')).toMatchObject({ status: 403, body: { error: 'ORIGIN_REFUSED' } });
    await own.call('connect.sites.update', { path: { siteId }, body: { enabled: false } });
    await eventually(async () =>
      expect(await ask(shopOrigin)).toMatchObject({ status: 403, body: { error: 'SITE_DISABLED' } }),
    );
  });
});

covers('widget.session', async ({ own }) => {
  await withSite(own, async ({ siteId }) => {
    const { secret } = await own.call('connect.sites.create-secret', { path: { siteId } });
    const ask = (about: object, origin = shopOrigin) =>
      askForSession(own.url, { tenantId: own.orgId, siteId, ...about }, { origin });
    expect(await ask({})).toMatchObject({ status: 200, body: { visitorId: id('vis'), isIdentified: false } });
    expect(await ask({}, 'https://evil.example.com')).toMatchObject({ status: 403, body: { error: 'ORIGIN_REFUSED' } });
    expect(await ask(signedBy(secret))).toMatchObject({ status: 200, body: { isIdentified: true } });
    expect(await ask(signedBy('another'))).toMatchObject({ status: 401, body: { error: 'IDENTITY_INVALID' } });
    const old = signedBy(secret, { issuedAt: new Date(Date.now() - 25 * 3_600_000).toISOString() });
    expect(await ask(old)).toMatchObject({ status: 401, body: { error: 'IDENTITY_INVALID' } });
  });
});

covers('widget.conversations', async ({ own }) => {
  await withConversation(own, async ({ visitor, conversationId }) => {
    const list = await visitor.send('GET', '/v1/widget/conversations');
    expect(list.body).toMatchObject({ data: [{ conversationId, status: 'open', lastSeq: 1 }] });
  });
});

covers('widget.messages', async ({ own }) => {
  await withConversation(own, async ({ visitor, conversationId }) => {
    await visitor.say('two');
    const { data } = await visitor.read('?after=1');
    expect(data).toMatchObject([{ messageId: id('cmsg'), conversationId, seq: 2, from: 'visitor', text: 'two' }]);
  });
});

covers('widget.send', async ({ own }) => {
  await withConversation(own, async ({ visitor }) => {
    const [first, second] = [await visitor.say('two', 'e'), await visitor.say('two', 'e')];
    expect(second).toEqual(first);
    const other = await visitor.send('POST', '/v1/widget/messages', { text: 'three', echoId: 'e' });
    expect(other).toMatchObject({ status: 409, body: { error: 'IDEMPOTENCY_MISMATCH' } });
  });
});

covers('widget.read', async ({ own }) => {
  await withConversation(own, async ({ visitor, conversationId }) => {
    await own.call('connect.messages.create', { path: { id: conversationId }, body: { text: 'It does.' } });
    const marked = await visitor.send('POST', '/v1/widget/read', { seq: 2 });
    expect(marked.body).toMatchObject({ readSeq: 2, unreadCount: 0 });
    expect(await read(own, conversationId)).toMatchObject({ visitorReadSeq: 2 });
  });
});

covers('widget.typing', async ({ own }) => {
  await withConversation(own, async ({ visitor, conversationId }) => {
    const headers = { authorization: `Bearer ${own.apiKey}`, 'x-tenant-id': own.orgId };
    const stream = await listen(own.url, '/v1/connect/stream', headers);
    await stream.take('open');
    expect((await visitor.send('POST', '/v1/widget/typing')).status).toBe(204);
    expect((await stream.take('typing'))[0]!.data).toMatchObject({ conversationId, by: 'visitor' });
    stream.close();
  });
});

covers('widget.file', async ({ own }) => {
  await withConversation(own, async ({ visitor }) => {
    const attachment = await put((await visitor.send<Upload>('POST', '/v1/widget/attachments', file)).body);
    const body = { echoId: 'f', attachments: [attachment] };
    const sent = await visitor.send('POST', '/v1/widget/messages', body);
    expect(sent.body).toMatchObject({ attachments: [{ attachmentId: attachment, ...file }] });
  });
});

covers('widget.read-file', async ({ own }) => {
  await withConversation(own, async ({ visitor, conversationId }) => {
    const attachment = await put((await visitor.send<Upload>('POST', '/v1/widget/attachments', file)).body);
    await visitor.send('POST', '/v1/widget/messages', { echoId: 'f', attachments: [attachment] });
    const path = `/v1/widget/attachments/${attachment}?conversationId=${conversationId}`;
    const { url } = (await visitor.send<{ url: string }>('GET', path)).body;
    expect(await (await fetch(url)).text()).toBe('hello');
  });
});

covers('widget.stream', async ({ own }) => {
  await withConversation(own, async ({ visitor, conversationId }) => {
    const stream = await visitor.listen();
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/);
    await stream.take('open');
    await own.call('connect.messages.create', { path: { id: conversationId }, body: { text: 'It does.' } });
    expect((await stream.take('message'))[0]!.data).toEqual({ conversationId, seq: 2 });
    stream.close();
  });
});
