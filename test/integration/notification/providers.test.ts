import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { chargedOf, connect, newTemplate, untilStatus } from '../../support/notifications.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import {
  accessToken,
  botToken,
  type ProviderServer,
  phoneNumberId,
  startTelegramServer,
  startTwilioServer,
  startWhatsAppServer,
  telegramErrors,
  twilioAccount,
  twilioErrors,
  twilioToken,
  whatsappErrors,
} from '../../support/provider-servers.ts';
import { createTenant, databaseUrlOf } from '../../support/tenants.ts';
import { until, untilAnswered } from '../../support/until.ts';

/** A platform whose providers are these servers. */
let platform: Platform;
let telegram: ProviderServer;
let whatsapp: ProviderServer;
let twilio: ProviderServer;

beforeAll(async () => {
  [telegram, whatsapp, twilio] = await Promise.all([startTelegramServer(), startWhatsAppServer(), startTwilioServer()]);
  const env = { TELEGRAM_URL: telegram.url, WHATSAPP_URL: whatsapp.url, TWILIO_URL: twilio.url };
  platform = await startPlatform({ env });
});
afterAll(async () => {
  await platform.stop();
  await Promise.all([telegram, whatsapp, twilio].map((server) => server.close()));
});
beforeEach(() => {
  for (const server of [telegram, whatsapp, twilio]) server.always(null);
});

async function newClient(): Promise<Client> {
  return clientOf({ url: platform.url, ...(await createTenant(await databaseUrlOf(platform), { plan: 'scale' })) });
}

const bot = { provider: 'telegram', credentials: { botToken } };
const number = { provider: 'whatsapp', credentials: { phoneNumberId, accessToken } };
const texts = {
  channel: 'phone',
  provider: 'sms',
  credentials: { accountSid: twilioAccount, authToken: twilioToken, from: '+15005550006' },
};

async function send(
  { attempt }: Client,
  templateId: string,
  recipientId: string,
  channel: 'chatapp' | 'phone' = 'chatapp',
) {
  const body = { channel, recipientId, templateId, variables: { name: 'Ada', orderId: 'A-1' } };
  const headers = { 'Idempotency-Key': randomUUID() };
  const answer = await untilAnswered(() => attempt('notification.notifications.send', { body }, headers));
  expect(answer.status).toBe(200);
  return answer.body;
}

describe('credentials', () => {
  test.each([
    ['telegram', { ...bot, channel: 'chatapp', credentials: { botToken: `9${botToken}` } }],
    ['whatsapp', { ...number, channel: 'chatapp', credentials: { phoneNumberId, accessToken: `${accessToken}x` } }],
    [
      'whatsapp, of another number',
      { ...number, channel: 'chatapp', credentials: { phoneNumberId: '12345', accessToken } },
    ],
    ['sms', { ...texts, credentials: { ...texts.credentials, authToken: `${twilioToken}0` } }],
  ])('that %s does not take are refused, and connect nothing', async (_name, body) => {
    const client = await newClient();
    const answer = await client.attempt('notification.channels.create', { body });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'body.credentials' }] } });
    expect((await client.call('notification.channels.list', { query: {} })).data).toEqual([]);
  });

  test('that expire turn the connection to error, until new ones are sent', async () => {
    const client = await newClient();
    const templateId = await newTemplate(client);
    const channelId = await connect(client, number);
    whatsapp.next(whatsappErrors.expired);
    const { notificationId } = await send(client, templateId, '+16505551234');
    await untilStatus(client, notificationId, 'failed');
    const path = { channelId };
    expect(await client.call('notification.channels.read', { path })).toMatchObject({
      state: 'error',
      lastError: expect.stringContaining('Session has expired'),
    });
    const body = { channel: 'chatapp', recipientId: '+16505551234', templateId, variables: { name: 'Ada' } };
    const refused = await client.attempt('notification.notifications.send', { body });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'body.channel' }] } });
    const renewed = { credentials: { phoneNumberId, accessToken } };
    expect(await client.call('notification.channels.update', { path, body: renewed })).toMatchObject({
      state: 'connected',
      lastError: null,
    });
    expect(await send(client, templateId, '+16505551234')).toMatchObject({ status: 'sent' });
  });

  test('are in no log', () => {
    for (const secret of [botToken, accessToken, twilioToken]) expect(platform.output()).not.toContain(secret);
  });
});

describe('limits', () => {
  test('of a provider pause the connection for as long as it says', async () => {
    const client = await newClient();
    const templateId = await newTemplate(client);
    await connect(client, bot);
    telegram.next(telegramErrors.tooMany(2));
    const before = telegram.asked.length;
    const startedAt = performance.now();
    const first = await send(client, templateId, '4711');
    expect(first.status).toBe('queued');
    const second = await send(client, templateId, '4712');
    await Promise.all([first, second].map(({ notificationId }) => untilStatus(client, notificationId, 'sent')));
    expect(performance.now() - startedAt).toBeGreaterThan(1900);
    // One that was limited, and one for each.
    expect(telegram.asked.length - before).toBe(3);
  });

  test('are kept before a provider has to say so', async () => {
    const client = await newClient();
    const templateId = await newTemplate(client);
    await connect(client, texts);
    const before = twilio.accepted.length;
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 45 }, () => send(client, templateId, '+491701234567', 'phone')));
    await until(() => twilio.accepted.length - before === 45);
    // Twenty a second: the third second has begun.
    expect(performance.now() - startedAt).toBeGreaterThan(1000);
  });
});

describe('WhatsApp', () => {
  test('gets the approved template that a template names, with its parameters', async () => {
    const client = await newClient();
    const approved = { name: 'order_shipped', language: 'en_US', parameters: ['{{ orderId }}', '{{ name }}!'] };
    const templateId = await newTemplate(client, { options: { whatsapp: approved } });
    await connect(client, number);
    expect(await send(client, templateId, '+16505551234')).toMatchObject({ status: 'sent' });
    expect(whatsapp.accepted.at(-1)).toMatchObject({
      to: '16505551234',
      type: 'template',
      template: {
        name: 'order_shipped',
        language: { code: 'en_US' },
        components: [{ parameters: [{ text: 'A-1' }, { text: 'Ada!' }] }],
      },
    });
  });

  test('outside of its 24 hours is followed by Telegram, where the customer has a chat', async () => {
    const client = await newClient();
    const templateId = await newTemplate(client);
    await connect(client, { ...number, priority: 1 });
    await connect(client, { ...bot, priority: 2 });
    const chat = String(100_000_000 + Math.floor(Math.random() * 1e8));
    const customer = { name: 'Ada', phone: '+16505551234' };
    const actor = { type: 'customer', id: chat };
    await client.call('context.events.create', { body: eventOf(client.orgId, { actor, payload: { customer } }) });
    whatsapp.next(whatsappErrors.outsideWindow);
    const { notificationId, status } = await send(client, templateId, chat);
    expect(status).toBe('sent');
    expect(telegram.accepted.at(-1)).toMatchObject({ chat_id: chat });
    const { events, provider } = await untilStatus(client, notificationId, 'sent');
    expect(provider).toBe('telegram');
    expect(events.map(({ type, provider: by }) => [type, by])).toEqual([
      ['queued', null],
      ['rejected', 'whatsapp'],
      ['sent', 'telegram'],
    ]);
  });
});

describe('Twilio', () => {
  test('refuses a person who has unsubscribed, and the notification stays charged', async () => {
    const client = await newClient();
    const templateId = await newTemplate(client);
    await connect(client, texts);
    twilio.next(twilioErrors.unsubscribed);
    const { notificationId } = await send(client, templateId, '+491701234567', 'phone');
    const found = await untilStatus(client, notificationId, 'failed');
    expect(found).toMatchObject({ attempts: 1, lastError: expect.stringContaining('21610') });
    await until(async () => (await chargedOf(client)) === 1);
  });

  test('takes no recipient that is no telephone number', async () => {
    const client = await newClient();
    const templateId = await newTemplate(client);
    await connect(client, texts);
    for (const recipientId of ['ada', '01701234567', `${newId('usr')}@example.com`, '+49170123456789012']) {
      const body = { channel: 'phone', recipientId, templateId, variables: { name: 'Ada' } };
      const answer = await client.attempt('notification.notifications.send', { body });
      expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'body.recipientId' }] } });
    }
  });
});
