import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { Client } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { chargedOf, connect, connectWebhook, newTemplate, untilStatus } from '../../support/notifications.ts';
import { type ProviderServer, startWebhookReceiver } from '../../support/provider-servers.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { newVisitor, openSite } from '../../support/widget-client.ts';

let receiver: ProviderServer;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
afterAll(() => receiver.close());

/** An organization with a connected channel and a template. */
async function newParty() {
  const client = await newTenantClient();
  await connect(client);
  return { client, templateId: await newTemplate(client) };
}

const message = (templateId: string, more: object = {}) => ({
  channel: 'chatapp' as const,
  recipientId: 'ada',
  templateId,
  variables: { name: 'Ada', orderId: 'A-1' },
  ...more,
});

async function countOf({ call }: Client): Promise<number> {
  return (await call('notification.notifications.list', { query: { limit: '100' } })).data.length;
}

function storedOf({ orgId }: Client, name: string): Promise<Record<string, unknown>[]> {
  return sharedPlatform().then(async (platform) =>
    withDatabase(await databaseUrlOf(platform), (database) => database.collection(name).find({ orgId }).toArray()),
  );
}

describe('POST /v1/notifications/send', () => {
  test('sends a template, answers what became of it, and keeps what happened', async () => {
    const { client, templateId } = await newParty();
    let count = 0;
    // The request waits 1.5 s for the attempt, which a busy machine may not make in time: then it answers `queued`.
    const sent = await eventually(async () => {
      count += 1;
      const answer = await client.call('notification.notifications.send', { body: message(templateId) });
      expect(answer).toEqual({ notificationId: expect.stringMatching(/^ntf_/), channel: 'chatapp', status: 'sent' });
      return answer;
    });
    const path = { notificationId: sent.notificationId };
    const found = await client.call('notification.notifications.read', { path });
    expect(found).toMatchObject({ status: 'sent', attempts: 1, templateId, templateVersion: 1, provider: 'mailbox' });
    expect(found.events.map(({ type }) => type)).toEqual(['queued', 'sent']);
    await eventually(async () => expect(await chargedOf(client)).toBe(count));
  });

  test('keeps what it says encrypted, and only while it is needed', async () => {
    const client = await newTenantClient();
    const templateId = await newTemplate(client);
    await connectWebhook(client, receiver.url);
    const sent = await client.call('notification.notifications.send', { body: message(templateId) });
    await untilStatus(client, sent.notificationId, 'sent');
    expect(receiver.accepted.at(-1)).toMatchObject({
      id: sent.notificationId,
      data: { recipientId: 'ada', subject: 'Order A-1', text: 'Hello Ada, your order A-1 is on its way.' },
    });
    expect(await storedOf(client, 'notification_messages')).toMatchObject([{ sealedContent: null }]);
  });

  test('does not interpret Liquid or HTML in values', async () => {
    const client = await newTenantClient();
    const templateId = await newTemplate(client, { html: '<p>{{ name }}</p>' });
    await connectWebhook(client, receiver.url);
    const name = '{{ orderId }}{% for i in (1..999999) %}x{% endfor %}<script>alert(1)</script>';
    await client.call('notification.notifications.send', { body: message(templateId, { variables: { name } }) });
    await eventually(() =>
      expect(receiver.accepted.at(-1)).toMatchObject({
        data: {
          text: expect.stringContaining(name),
          html: expect.stringContaining('{{ orderId }}{% for i in (1..999999) %}x{% endfor %}&lt;script&gt;'),
        },
      }),
    );
  });

  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`v${index}`, 'x'.repeat(5000)]));
  test.each<[what: string, change: object, path: string]>([
    ['no channel', { channel: undefined }, 'body.channel'],
    ['an unknown channel', { channel: 'fax' }, 'body.channel'],
    ['a channel that is not connected', { channel: 'phone' }, 'body.channel'],
    ['no recipient', { recipientId: undefined }, 'body.recipientId'],
    ['an empty recipient', { recipientId: ' ' }, 'body.recipientId'],
    ['several recipients', { recipientId: ['ada', 'grace'] }, 'body.recipientId'],
    ['a recipient with a line break', { recipientId: 'ada\r\nBcc: eve' }, 'body.recipientId'],
    ['a customer that does not exist', { recipientId: newId('cus') }, 'body.recipientId'],
    ['no template', { templateId: undefined }, 'body.templateId'],
    ['an unknown template', { templateId: newId('tpl') }, 'body.templateId'],
    ['a missing variable', { variables: { orderId: 'A-1' } }, 'body.variables.name'],
    ['a variable that is no text', { variables: { name: { $gt: '' } } }, 'body.variables.name'],
    ['variables that are no object', { variables: 'name' }, 'body.variables'],
    ['too long a value', { variables: { name: 'x'.repeat(10_001) } }, 'body.variables.name'],
    ['too much in all variables', { variables: { name: 'Ada', ...many } }, 'body.variables'],
    ['a locale that is none', { locale: 'german' }, 'body.locale'],
    ['an unknown field', { to: 'ada' }, 'body.to'],
  ])('refuses %s, and takes nothing', async (_what, change, path) => {
    const { client, templateId } = await newParty();
    const answer = await client.attempt('notification.notifications.send', { body: message(templateId, change) });
    expect(answer).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID', details: [{ path }] } });
    expect(await countOf(client)).toBe(0);
    expect(await chargedOf(client)).toBe(0);
  });

  test('refuses 10 MB of variables before it reads them, and those without the permission', async () => {
    const { client, templateId } = await newParty();
    const body = message(templateId, { variables: { name: 'x'.repeat(10_000_000) } });
    expect(await client.attempt('notification.notifications.send', { body })).toMatchObject({
      status: 413,
      body: { error: 'BODY_TOO_LARGE' },
    });
    const reader = await newTenantClient({ scopes: ['svc:read'] });
    const wanted = { body: message(templateId) };
    expect(await reader.attempt('notification.notifications.send', wanted)).toMatchObject({ status: 403 });
    expect(
      await reader.attempt('notification.notifications.send', wanted, { authorization: 'Bearer x' }),
    ).toMatchObject({ status: 401 });
  });

  test('sends once for an Idempotency-Key, and refuses the key with another request', async () => {
    const { client, templateId } = await newParty();
    const key = { 'Idempotency-Key': 'order-1' };
    const send = (body: object) => client.attempt('notification.notifications.send', { body }, key);
    const answers = [await send(message(templateId)), await send(message(templateId))];
    expect(answers[1]!.body).toEqual(answers[0]!.body);
    expect(await send(message(templateId, { recipientId: 'grace' }))).toMatchObject({
      status: 409,
      body: { error: 'IDEMPOTENCY_MISMATCH' },
    });
    expect(await countOf(client)).toBe(1);
    await eventually(async () => expect(await chargedOf(client)).toBe(1));
  });

  test('accepts exactly as many as the plan has, however many come at once', async () => {
    const { client, templateId } = await newParty();
    await client.call('notification.notifications.send', { body: message(templateId) });
    await eventually(async () => expect(await chargedOf(client)).toBe(1));
    await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database
        .collection('billing_counters')
        .updateOne({ orgId: client.orgId, _id: { $regex: 'notification' } as never }, { $set: { used: 96 } }),
    );
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        client.attempt('notification.notifications.send', { body: message(templateId) }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual(
      Array.from({ length: 8 }, () => [402, 'PLAN_LIMIT_EXCEEDED']),
    );
    expect(await countOf(client)).toBe(5);
  });
});

describe('a customer as recipient', () => {
  async function newCustomer(client: Client, payload: object = {}): Promise<string> {
    const customerId = `C-${newId('cus').slice(4)}`;
    const actor = { type: 'customer', id: customerId };
    const customer = { name: 'Ada', ...payload };
    await client.call('context.events.create', { body: eventOf(client.orgId, { actor, payload: { customer } }) });
    return customerId;
  }

  test('is reached at the identifier of the channel', async () => {
    const client = await newTenantClient();
    const templateId = await newTemplate(client);
    for (const channel of ['phone', 'email', 'socialapp']) await connectWebhook(client, receiver.url, { channel });
    const customerId = await newCustomer(client, { email: 'Ada@Example.com', phone: '+49 170 1234567' });
    const reached: unknown[] = [];
    for (const channel of ['phone', 'email', 'socialapp'] as const) {
      const body = message(templateId, { channel, recipientId: customerId });
      const { notificationId } = await client.call('notification.notifications.send', { body });
      await untilStatus(client, notificationId, 'sent');
      const { data } = receiver.accepted.find(({ id }) => id === notificationId) as { data: Record<string, unknown> };
      reached.push(data.recipientId);
    }
    expect(reached).toEqual(['+491701234567', 'ada@example.com', customerId]);
  });

  test('without an identifier of the channel is refused', async () => {
    const { client, templateId } = await newParty();
    await connect(client, { channel: 'phone' });
    const recipientId = await newCustomer(client, { email: `${newId('cus')}@example.com` });
    const body = message(templateId, { channel: 'phone', recipientId });
    expect(await client.attempt('notification.notifications.send', { body })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'body.recipientId', message: expect.stringContaining('no identifier') }] },
    });
  });

  test('takes the notifications along when they are erased, and those of no other', async () => {
    const { client, templateId } = await newParty();
    const email = `${newId('cus')}@example.com`;
    await connect(client, { channel: 'email' });
    const customerId = await newCustomer(client, { email });
    for (const recipientId of [customerId, email, 'grace@example.com']) {
      const body = message(templateId, { channel: 'email', recipientId });
      await client.call('notification.notifications.send', { body });
    }
    expect(await countOf(client)).toBe(3);
    await client.call('context.story.erase', { path: { customerId } });
    const { data } = await client.call('notification.notifications.list', { query: {} });
    expect(data.map(({ recipientId }) => recipientId)).toEqual(['grace@example.com']);
  });
});

describe('several connections of a channel', () => {
  let second: ProviderServer;
  beforeAll(async () => {
    second = await startWebhookReceiver();
  });
  afterAll(() => second.close());

  async function newPair() {
    const client = await newTenantClient();
    const templateId = await newTemplate(client);
    await connectWebhook(client, second.url, { priority: 20 });
    await connectWebhook(client, receiver.url, { priority: 10 });
    return { client, body: message(templateId) };
  }
  const acceptedAt = (server: ProviderServer, wanted: string) =>
    server.accepted.filter(({ id }) => id === wanted).length;

  test('are tried in the order of their priorities, the next one after a definite rejection', async () => {
    const { client, body } = await newPair();
    const plain = await client.call('notification.notifications.send', { body });
    expect([acceptedAt(receiver, plain.notificationId), acceptedAt(second, plain.notificationId)]).toEqual([1, 0]);
    receiver.next({ status: 404 });
    const { notificationId } = await client.call('notification.notifications.send', { body });
    expect(acceptedAt(second, notificationId)).toBe(1);
    const { events } = await client.call('notification.notifications.read', { path: { notificationId } });
    expect(events.map(({ type, reason }) => [type, reason])).toEqual([
      ['queued', null],
      ['rejected', 'The webhook answered 404.'],
      ['sent', null],
    ]);
  });

  test('are not tried further when the first may have accepted it; it is sent again under the same id', async () => {
    const { client, body } = await newPair();
    receiver.next('acceptAndDrop');
    const { notificationId, status } = await client.call('notification.notifications.send', { body });
    expect(status).toBe('queued');
    await untilStatus(client, notificationId, 'sent');
    expect([acceptedAt(receiver, notificationId), acceptedAt(second, notificationId)]).toEqual([2, 0]);
    const { createdAt } = await client.call('notification.notifications.read', { path: { notificationId } });
    const attempts = receiver.accepted.filter(({ id }) => id === notificationId);
    expect(attempts.map(({ timestamp }) => timestamp)).toEqual([createdAt, createdAt]);
  });
});

describe('the channel web', () => {
  test('adds the message to the conversation of a visitor, once', async () => {
    const client = await newTenantClient();
    await openSite(client);
    const visitor = await newVisitor(client);
    await visitor.say('Is my order on its way?');
    const templateId = await newTemplate(client);
    await connect(client, { channel: 'web', provider: 'web' });
    const body = { ...message(templateId), channel: 'web' as const, recipientId: visitor.visitorId };
    const { notificationId } = await client.call('notification.notifications.send', { body });
    await untilStatus(client, notificationId, 'sent');
    const { data } = await visitor.read();
    expect(data.map(({ text }) => text)).toEqual([
      'Is my order on its way?',
      expect.stringContaining('is on its way.') as unknown as string,
    ]);
  });

  test('refuses a visitor that there is not', async () => {
    const client = await newTenantClient();
    await openSite(client);
    const templateId = await newTemplate(client);
    await connect(client, { channel: 'web', provider: 'web' });
    const body = { ...message(templateId), channel: 'web' as const, recipientId: newId('vis') };
    const { notificationId } = await client.call('notification.notifications.send', { body });
    const { lastError } = await untilStatus(client, notificationId, 'failed');
    expect(lastError).toBe('The website inbox: The visitor does not exist.');
  });
});

describe('a notification that dies', () => {
  test('through a connection gives its unit back, and can be seen as failed', async () => {
    const client = await newTenantClient();
    const templateId = await newTemplate(client);
    await connectWebhook(client, receiver.url);
    receiver.next({ status: 410 });
    const { notificationId } = await client.call('notification.notifications.send', { body: message(templateId) });
    const found = await untilStatus(client, notificationId, 'failed');
    expect(found.events.map(({ type }) => type)).toEqual(['queued', 'rejected', 'failed']);
    expect(found.lastError).toBe('The webhook answered 410.');
    await eventually(async () => expect(await chargedOf(client)).toBe(0));
    const again = await client.attempt('notification.notifications.send', { body: message(templateId) });
    expect(again).toMatchObject({ status: 400, body: { details: [{ path: 'body.channel' }] } });
  });

  test('because its recipient is refused keeps it', async () => {
    const client = await newTenantClient();
    const templateId = await newTemplate(client);
    await connectWebhook(client, receiver.url);
    receiver.next({ status: 400 });
    const { notificationId } = await client.call('notification.notifications.send', { body: message(templateId) });
    await untilStatus(client, notificationId, 'failed');
    await eventually(async () => expect(await chargedOf(client)).toBe(1));
    const [stored] = await storedOf(client, 'notification_messages');
    expect(stored!.refundDue ?? null).toBeNull();
  });
});

describe('templates', () => {
  test('have nil for an optional variable that is not sent', async () => {
    const client = await newTenantClient();
    await connectWebhook(client, receiver.url);
    const branch = '{% if orderId %}Order {{ orderId }}{% else %}No order{% endif %}';
    const templateId = await newTemplate(client, { subject: branch, text: `${branch} of {{ name }}` });
    const sent = async (variables: Record<string, string>) => {
      const body = message(templateId, { variables });
      const { notificationId } = await client.call('notification.notifications.send', { body });
      await untilStatus(client, notificationId, 'sent');
      return receiver.accepted.find(({ id }) => id === notificationId)!.data;
    };
    expect(await sent({ name: 'Ada' })).toMatchObject({ subject: 'No order', text: 'No order of Ada' });
    expect(await sent({ name: 'Ada', orderId: '7' })).toMatchObject({ subject: 'Order 7', text: 'Order 7 of Ada' });
  });

  test('are sent in the variant of the locale, in their live version, and tested in any', async () => {
    const client = await newTenantClient();
    await connectWebhook(client, receiver.url);
    const locales = { de: { text: 'Hallo {{ name }}' } };
    const templateId = await newTemplate(client, { text: 'Hello {{ name }}', subject: undefined, locales });
    const textOf = async (notificationId: string) => {
      await untilStatus(client, notificationId, 'sent');
      const { data } = receiver.accepted.find(({ id }) => id === notificationId) as { data: { text: string } };
      return data.text;
    };
    const send = async (more: object) =>
      (await client.call('notification.notifications.send', { body: message(templateId, more) })).notificationId;
    expect(await textOf(await send({ locale: 'de-AT' }))).toBe('Hallo Ada');
    expect(await textOf(await send({ locale: 'fr' }))).toBe('Hello Ada');
    const change = { text: 'Good day {{ name }}', publish: false };
    await client.call('notification.templates.update', { path: { templateId }, body: change });
    expect(await textOf(await send({}))).toBe('Hello Ada');
    const tested = await client.call('notification.templates.test', {
      path: { templateId },
      body: { channel: 'chatapp', recipientId: 'ada' },
    });
    expect(await textOf(tested.notificationId)).toBe('Good day Grace');
  });

  test.each<[what: string, body: object, path: string]>([
    ['no text', { text: undefined }, 'body.text'],
    ['an unknown variable', { text: '{{ nobody }}' }, 'body.text'],
    ['a script in its HTML', { html: '<a href="javascript:alert(1)">x</a>' }, 'body.html'],
    [
      'a template of WhatsApp without a language',
      { options: { whatsapp: { name: 'a' } } },
      'body.options.whatsapp.language',
    ],
    ['options of an unknown provider', { options: { pigeon: {} } }, 'body.options.pigeon'],
  ])('with %s are refused', async (_what, body, path) => {
    const client = await newTenantClient();
    const plain = { name: 'A template', text: 'Hello {{ name }}', variables: [{ name: 'name' }] };
    const answer = await client.attempt('notification.templates.create', { body: { ...plain, ...body } });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path }] } });
    expect((await client.call('notification.templates.list', { query: {} })).data).toEqual([]);
  });
});

test('notifications are listed by channel, status and recipient, the newest first', async () => {
  const { client, templateId } = await newParty();
  const sent: string[] = [];
  for (const recipientId of ['ada', 'grace', 'ada']) {
    const { notificationId } = await client.call('notification.notifications.send', {
      body: message(templateId, { recipientId }),
    });
    await untilStatus(client, notificationId, 'sent');
    sent.unshift(notificationId);
  }
  const list = async (query: object) => {
    const { data, nextCursor } = await client.call('notification.notifications.list', { query });
    return { ids: data.map(({ notificationId }) => notificationId), nextCursor };
  };
  expect((await list({})).ids).toEqual(sent);
  expect((await list({ recipientId: 'ada' })).ids).toEqual([sent[0], sent[2]]);
  expect((await list({ status: 'sent', channel: 'chatapp' })).ids).toEqual(sent);
  expect((await list({ status: 'queued' })).ids).toEqual([]);
  const first = await list({ limit: '2' });
  expect((await list({ limit: '2', cursor: first.nextCursor })).ids).toEqual([sent[2]]);
  for (const query of [{ status: 'lost' }, { channel: 'fax' }, { cursor: 'x' }]) {
    expect(await client.attempt('notification.notifications.list', { query })).toMatchObject({ status: 400 });
  }
});
