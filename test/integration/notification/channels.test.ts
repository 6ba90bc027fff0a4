import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { botToken, type ProviderServer, startWebhookReceiver, webhookSecret } from '../../support/provider-servers.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';

let receiver: ProviderServer;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
afterAll(() => receiver.close());

const mailbox = { channel: 'chatapp', provider: 'mailbox' } as const;
const webhookTo = (url: string) => ({
  channel: 'socialapp' as const,
  provider: 'webhook' as const,
  credentials: { url, secret: webhookSecret },
});

async function connectionsOf({ call }: Client) {
  return (await call('notification.channels.list', { query: {} })).data;
}

describe('POST /v1/notifications/channels', () => {
  test('connects a channel, and never answers the credentials again', async () => {
    const client = await newTenantClient();
    const body = { ...webhookTo(`${receiver.url}/hook`), name: 'CRM', priority: 7 };
    const made = await client.call('notification.channels.create', { body });
    expect(made).toMatchObject({ channel: 'socialapp', provider: 'webhook', name: 'CRM', priority: 7 });
    expect(made).toMatchObject({ state: 'connected', lastError: null, verifiedAt: expect.any(String) });
    const path = { channelId: made.id };
    expect(await client.call('notification.channels.read', { path })).toEqual(made);
    expect(await connectionsOf(client)).toEqual([made]);
    const { text } = await client.send('GET', '/v1/notifications/channels');
    expect(text).not.toContain('whsec_');
    expect(text).not.toContain(receiver.url);
  });

  test('keeps the credentials encrypted, and out of the audit log', async () => {
    const client = await newTenantClient();
    await client.call('notification.channels.create', { body: webhookTo(`${receiver.url}/hook`) });
    const stored = await withDatabase(await databaseUrlOf(await sharedPlatform()), async (database) =>
      Promise.all(
        ['notification_connections', 'identity_audit_records'].map((name) =>
          database.collection(name).find({ orgId: client.orgId }).toArray(),
        ),
      ),
    );
    expect(stored.map(({ length }) => length)).toEqual([1, 1]);
    expect(JSON.stringify(stored)).not.toMatch(/whsec_|127\.0\.0\.1:/);
    expect(stored[1]).toMatchObject([{ action: 'notification-channel.connected' }]);
  });

  const mailOf = (credentials: unknown) => ({ channel: 'email', provider: 'mail', credentials });
  const telegramOf = (token: unknown) => ({
    channel: 'chatapp',
    provider: 'telegram',
    credentials: { botToken: token },
  });
  test.each<[what: string, body: unknown, path: string]>([
    ['no channel', { provider: 'mailbox' }, 'body.channel'],
    ['an unknown channel', { ...mailbox, channel: 'fax' }, 'body.channel'],
    ['an unknown provider', { ...mailbox, provider: 'pigeon' }, 'body.provider'],
    ['a provider of another channel', { channel: 'phone', provider: 'telegram' }, 'body.channel'],
    ['credentials that are no object', { ...mailbox, credentials: 'secret' }, 'body.credentials'],
    ['credentials that the provider has not', mailOf({ password: 'x' }), 'body.credentials.password'],
    ['no token', telegramOf(undefined), 'body.credentials.botToken'],
    ['a token of another form', telegramOf('not a token'), 'body.credentials.botToken'],
    ['a token with a path', telegramOf(`${botToken}/../getMe`), 'body.credentials.botToken'],
    ['a name with a line break', { ...mailbox, name: 'a\nb' }, 'body.name'],
    ['a priority that is no number', { ...mailbox, priority: '1' }, 'body.priority'],
    ['a negative priority', { ...mailbox, priority: -1 }, 'body.priority'],
    ['an unknown field', { ...mailbox, state: 'connected' }, 'body.state'],
    ['the website inbox for another channel', { channel: 'chatapp', provider: 'web' }, 'body.channel'],
    [
      'no webhook secret',
      { ...webhookTo('https://example.com/'), credentials: { url: 'https://example.com/' } },
      'body.credentials.secret',
    ],
    ...[
      'http://8.8.8.8/',
      'https://10.0.0.1/',
      'https://192.168.0.1/',
      'https://169.254.169.254/latest/meta-data/',
      'https://[::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://2130706434/',
      'https://0x7f.0.0.2/',
      'https://user:word@example.com/',
      'https://8.8.8.8:25/',
      'ftp://example.com/',
      'javascript:alert(1)',
    ].map((url): [string, unknown, string] => [`a webhook at ${url}`, webhookTo(url), 'body.credentials.url']),
  ])('refuses %s, and connects nothing', async (_what, body, path) => {
    const client = await newTenantClient();
    const answer = await client.attempt('notification.channels.create', { body });
    expect(answer).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID', details: [{ path }] } });
    expect(await connectionsOf(client)).toEqual([]);
    expect(answer.text).not.toContain(botToken);
  });

  test('keeps a draft of what cannot be verified now', async () => {
    const client = await newTenantClient();
    const body = { channel: 'chatapp', provider: 'telegram', credentials: { botToken } } as const;
    const made = await client.call('notification.channels.create', { body });
    expect(made).toMatchObject({ state: 'draft', verifiedAt: null, lastError: expect.stringContaining('Telegram') });
    const closed = webhookTo('http://127.0.0.1:9/hook');
    expect(await client.call('notification.channels.create', { body: closed })).toMatchObject({ state: 'draft' });
  });

  test('makes exactly as many as the plan allows, however many are asked for at once', async () => {
    const client = await newTenantClient();
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => client.attempt('notification.channels.create', { body: mailbox })),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual(
      Array.from({ length: 4 }, () => [402, 'PLAN_LIMIT_EXCEEDED']),
    );
    expect(await connectionsOf(client)).toHaveLength(10);
  });

  test('needs its permission, and makes one for an Idempotency-Key', async () => {
    const reader = await newTenantClient({ scopes: ['svc:read'] });
    expect(await reader.attempt('notification.channels.create', { body: mailbox })).toMatchObject({ status: 403 });
    const client = await newTenantClient();
    const key = { 'Idempotency-Key': 'once' };
    const [first, second] = [
      await client.call('notification.channels.create', { body: mailbox }, key),
      await client.call('notification.channels.create', { body: mailbox }, key),
    ];
    expect(second).toEqual(first);
    expect(await connectionsOf(client)).toHaveLength(1);
  });
});

describe('PATCH /v1/notifications/channels/:channelId', () => {
  test('changes name and priority, turns off and on again', async () => {
    const client = await newTenantClient();
    const { id } = await client.call('notification.channels.create', { body: mailbox });
    const change = (body: object) => client.call('notification.channels.update', { path: { channelId: id }, body });
    expect(await change({ name: 'Other', priority: 1 })).toMatchObject({ name: 'Other', priority: 1 });
    expect(await change({ enabled: false })).toMatchObject({ state: 'disabled', name: 'Other' });
    expect(await change({ enabled: true })).toMatchObject({ state: 'connected' });
    expect(await change({})).toMatchObject({ state: 'connected', priority: 1 });
  });

  test('replaces credentials that the provider takes, and no others', async () => {
    const client = await newTenantClient();
    const made = await client.call('notification.channels.create', { body: webhookTo(`${receiver.url}/a`) });
    const path = { channelId: made.id };
    const refused = await client.attempt('notification.channels.update', {
      path,
      body: { credentials: { url: 'https://10.0.0.1/', secret: webhookSecret } },
    });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'body.credentials.url' }] } });
    expect(await client.call('notification.channels.read', { path })).toEqual(made);
    const other = { url: `${receiver.url}/b`, secret: webhookSecret };
    const changed = await client.call('notification.channels.update', { path, body: { credentials: other } });
    expect(changed).toMatchObject({ state: 'connected' });
    expect(receiver.asked.at(-1)!.path).toBe('/b');
  });

  test.each<[body: object, path: string]>([
    [{ channel: 'phone' }, 'body.channel'],
    [{ provider: 'mailbox' }, 'body.provider'],
    [{ state: 'connected' }, 'body.state'],
    [{ priority: 1001 }, 'body.priority'],
    [{ enabled: 'no' }, 'body.enabled'],
    [{ credentials: { any: 'thing' } }, 'body.credentials.any'],
  ])('refuses %j', async (body, path) => {
    const client = await newTenantClient();
    const made = await client.call('notification.channels.create', { body: mailbox });
    const answer = await client.attempt('notification.channels.update', { path: { channelId: made.id }, body });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path }] } });
    expect(await connectionsOf(client)).toEqual([made]);
  });
});

describe('a connection', () => {
  test('is removed by DELETE, and is then 404 like another organization’s', async () => {
    const [client, stranger] = [await newTenantClient(), await newTenantClient()];
    const { id } = await client.call('notification.channels.create', { body: mailbox });
    const path = { channelId: id };
    for (const name of ['notification.channels.read', 'notification.channels.delete'] as const) {
      expect(await stranger.attempt(name, { path })).toMatchObject({ status: 404 });
    }
    expect(await stranger.attempt('notification.channels.update', { path, body: { priority: 1 } })).toMatchObject({
      status: 404,
    });
    await client.call('notification.channels.delete', { path });
    expect(await client.attempt('notification.channels.read', { path })).toMatchObject({ status: 404 });
    expect(await connectionsOf(client)).toEqual([]);
  });

  test('sends a test message, whose success connects a draft', async () => {
    const client = await newTenantClient();
    receiver.always({ status: 500 });
    const made = await client.call('notification.channels.create', { body: webhookTo(receiver.url) });
    expect(made.state).toBe('draft');
    receiver.always(null);
    const path = { channelId: made.id };
    const tested = await client.call('notification.channels.test', { path, body: { recipientId: 'ada' } });
    expect(tested).toMatchObject({ status: 'sent', error: null, channel: { state: 'connected' } });
    expect(receiver.accepted.at(-1)).toMatchObject({
      id: tested.notificationId,
      data: { recipientId: 'ada', text: expect.stringContaining('test message') },
    });
    const { usage } = await client.call('billing.usage.read', { path: { orgId: client.orgId } });
    expect(usage.notification.sentThisMonth).toBe(1);
  });

  test('tells why a test message was not sent', async () => {
    const client = await newTenantClient();
    const { id } = await client.call('notification.channels.create', { body: webhookTo(receiver.url) });
    receiver.next({ status: 410 });
    const tested = await client.call('notification.channels.test', {
      path: { channelId: id },
      body: { recipientId: 'ada' },
    });
    expect(tested).toMatchObject({
      status: 'failed',
      error: 'The webhook answered 410.',
      channel: { state: 'error', lastError: 'The webhook answered 410.' },
    });
    const missing = await client.attempt('notification.channels.test', { path: { channelId: id }, body: {} });
    expect(missing).toMatchObject({ status: 400, body: { details: [{ path: 'body.recipientId' }] } });
  });
});

test('connections are listed by channel, in pages', async () => {
  const client = await newTenantClient();
  for (const channel of ['chatapp', 'phone', 'chatapp'] as const) {
    await client.call('notification.channels.create', { body: { channel, provider: 'mailbox' } });
  }
  const first = await client.call('notification.channels.list', { query: { channel: 'chatapp', limit: '1' } });
  const next = { channel: 'chatapp' as const, limit: '1', cursor: first.nextCursor! };
  const second = await client.call('notification.channels.list', { query: next });
  expect([...first.data, ...second.data].map(({ channel }) => channel)).toEqual(['chatapp', 'chatapp']);
  expect(second.nextCursor).toBeNull();
  for (const query of [{ channel: 'fax' }, { limit: '0' }, { cursor: 'x' }]) {
    expect(await client.attempt('notification.channels.list', { query })).toMatchObject({ status: 400 });
  }
});
