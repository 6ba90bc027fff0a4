import { afterEach, describe, expect, test } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import type { z } from 'zod';
import { parseNetwork } from '../../../lib/net/public-address.ts';
import {
  type OutgoingNotification,
  type Provider,
  ProviderError,
} from '../../../services/notification/providers/provider.ts';
import { sms } from '../../../services/notification/providers/sms.ts';
import { telegram } from '../../../services/notification/providers/telegram.ts';
import { webhook } from '../../../services/notification/providers/webhook.ts';
import { whatsapp } from '../../../services/notification/providers/whatsapp.ts';
import {
  accessToken,
  botToken,
  type ProviderServer,
  phoneNumberId,
  startTelegramServer,
  startTwilioServer,
  startWebhookReceiver,
  startWhatsAppServer,
  telegramErrors,
  twilioAccount,
  twilioErrors,
  twilioToken,
  webhookSecret,
  whatsappErrors,
} from '../../support/provider-servers.ts';

/** None of these providers calls another service. */
const context = { broker: {} as ServiceBroker };
const servers: ProviderServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function started(starting: Promise<ProviderServer>): Promise<ProviderServer> {
  const server = await starting;
  servers.push(server);
  return server;
}

const message = (recipient: string, more: Partial<OutgoingNotification> = {}): OutgoingNotification => ({
  notificationId: 'ntf_00000000000000000000000000',
  createdAt: new Date('2026-03-02T09:30:00.000Z'),
  orgId: 'org_00000000000000000000000000',
  channel: 'chatapp',
  recipient,
  templateId: 'tpl_00000000000000000000000000',
  category: 'transactional',
  subject: 'Order received',
  text: 'Your order A-1001 is on its way.',
  html: '',
  whatsapp: null,
  ...more,
});

type Thrown = Pick<ProviderError, 'failure' | 'retryAfter' | 'message'>;

async function failureOf(work: Promise<unknown>): Promise<Thrown> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ProviderError);
  return error as ProviderError;
}

/** What a provider throws after each of the reactions of the server. */
async function failuresOf<C extends z.ZodType>(
  server: ProviderServer,
  provider: Provider<C>,
  credentials: z.output<C>,
  [recipient, reactions]: [string, NonNullable<Parameters<ProviderServer['always']>[0]>[]],
): Promise<Thrown[]> {
  const thrown: Thrown[] = [];
  for (const reaction of reactions) {
    server.always(reaction);
    thrown.push(await failureOf(provider.send(message(recipient), credentials, context)));
  }
  server.always(null);
  return thrown;
}

describe('telegram', () => {
  const credentials = { botToken };

  test('sends a text to a chat, and is verified by getMe', async () => {
    const server = await started(startTelegramServer());
    const provider = telegram(server.url);
    await provider.verify(credentials, context);
    const sent = await provider.send(message('-100123'), credentials, context);
    expect(sent).toEqual({ providerMessageId: '1' });
    expect(server.accepted).toEqual([{ chat_id: '-100123', text: 'Your order A-1001 is on its way.' }]);
  });

  test('means by its errors what Telegram documents', async () => {
    const server = await started(startTelegramServer());
    const { blocked, noChat, tooMany, unauthorized, internal } = telegramErrors;
    const reactions = [blocked, noChat, tooMany(7), tooMany(90_000), unauthorized, internal, 'drop' as const];
    const thrown = await failuresOf(server, telegram(server.url), credentials, ['1', reactions]);
    expect(thrown.map(({ failure, retryAfter }) => [failure, retryAfter])).toEqual([
      ['refused', null],
      ['refused', null],
      ['rateLimited', 7000],
      ['rateLimited', 3_600_000],
      ['unauthorized', null],
      ['unknown', null],
      ['unknown', null],
    ]);
    expect(thrown[0]!.message).toBe('Telegram: Forbidden: bot was blocked by the user');
    expect(JSON.stringify(thrown.map((error) => error.message))).not.toContain(botToken);
  });

  test('knows a wrong token, an unreachable server and a text that is too long', async () => {
    const server = await started(startTelegramServer());
    const provider = telegram(server.url);
    const wrong = { botToken: `1${botToken}` };
    expect(await failureOf(provider.verify(wrong, context))).toMatchObject({ failure: 'unauthorized' });
    const long = message('1', { text: 'a'.repeat(4097) });
    expect(await failureOf(provider.send(long, credentials, context))).toMatchObject({ failure: 'refused' });
    await server.close();
    expect(await failureOf(provider.send(message('1'), credentials, context))).toMatchObject({
      failure: 'unreachable',
    });
  });

  test.each([
    ['123456789', true],
    ['-1001234567890', true],
    ['@acme_bikes', true],
    ['+491701234567', false],
    ['ada', false],
    ['@a', false],
    ['1 2', false],
    ['', false],
  ])('takes %s for a chat: %s', (recipient, isOne) => {
    expect(telegram('').addressOf(recipient) !== null).toBe(isOne);
  });
});

describe('whatsapp', () => {
  const credentials = { phoneNumberId, accessToken };

  test('sends free text, and an approved template with its language and parameters', async () => {
    const server = await started(startWhatsAppServer());
    const provider = whatsapp(server.url);
    await provider.verify(credentials, context);
    expect(await provider.send(message('16505551234'), credentials, context)).toEqual({ providerMessageId: 'wamid.1' });
    const approved = { name: 'order_shipped', language: 'en_US', parameters: ['A-1001'] };
    await provider.send(message('16505551234', { whatsapp: approved }), credentials, context);
    const envelope = { messaging_product: 'whatsapp', recipient_type: 'individual', to: '16505551234' };
    expect(server.accepted).toEqual([
      { ...envelope, type: 'text', text: { body: 'Your order A-1001 is on its way.', preview_url: false } },
      {
        ...envelope,
        type: 'template',
        template: {
          name: 'order_shipped',
          language: { code: 'en_US' },
          components: [{ type: 'body', parameters: [{ type: 'text', text: 'A-1001' }] }],
        },
      },
    ]);
  });

  test('means by its errors what Meta documents', async () => {
    const server = await started(startWhatsAppServer());
    const { outsideWindow, throughput, pair, expired, noTemplate, undeliverable, overloaded } = whatsappErrors;
    const html = { status: 502, body: '<html>' };
    const reactions = [outsideWindow, throughput, pair, expired, noTemplate, undeliverable, overloaded, html];
    const thrown = await failuresOf(server, whatsapp(server.url), credentials, ['1650555', reactions]);
    expect(thrown.map(({ failure, retryAfter }) => [failure, retryAfter])).toEqual([
      ['refused', null],
      ['rateLimited', null],
      ['deferred', 6000],
      ['unauthorized', null],
      ['refused', null],
      ['refused', null],
      ['deferred', null],
      ['unknown', null],
    ]);
    expect(thrown[0]!.message).toContain('name an approved template');
  });

  test('is refused for another token, and for a number that the token does not reach', async () => {
    const server = await started(startWhatsAppServer());
    const provider = whatsapp(server.url);
    const wrong = { phoneNumberId, accessToken: `${accessToken}x` };
    expect(await failureOf(provider.verify(wrong, context))).toMatchObject({ failure: 'unauthorized' });
    const other = { phoneNumberId: '99999', accessToken };
    expect(await failureOf(provider.verify(other, context))).toMatchObject({ failure: 'refused' });
  });

  test('takes telephone numbers with a country code alone', () => {
    const { addressOf } = whatsapp('');
    expect(['+491701234567', '491701234567', '01701234567', 'ada', '+49 170', ''].map(addressOf)).toEqual([
      '491701234567',
      '491701234567',
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('sms', () => {
  const credentials = { accountSid: twilioAccount, authToken: twilioToken, from: '+15005550006' };

  test.each([
    ['+491701234567', '+491701234567'],
    ['\u202a\uff0b49 170 1234567\u202c', '+491701234567'],
    ['tel:+49-170-1234567', '+491701234567'],
    ['+1234567', '+1234567'],
    ['0170 1234567', null],
    ['+49 170', null],
    ['ada', null],
  ])('takes %j for the number %j, and WhatsApp for its digits', (recipient, number) => {
    expect(sms('').addressOf(recipient)).toBe(number);
    expect(whatsapp('').addressOf(recipient)).toBe(number?.slice(1) ?? null);
  });

  test('sends a text from a number or by a messaging service', async () => {
    const server = await started(startTwilioServer());
    const provider = sms(server.url);
    await provider.verify(credentials, context);
    const sent = await provider.send(message('+491701234567', { text: 'Ä & = +' }), credentials, context);
    expect(sent.providerMessageId).toMatch(/^SM\d{32}$/);
    const service = `MG${'0'.repeat(32)}`;
    await provider.send(message('+491701234567'), { ...credentials, from: service }, context);
    expect(server.accepted).toEqual([
      { To: '+491701234567', Body: 'Ä & = +', From: '+15005550006' },
      { To: '+491701234567', Body: 'Your order A-1001 is on its way.', MessagingServiceSid: service },
    ]);
  });

  test('means by its errors what Twilio documents', async () => {
    const server = await started(startTwilioServer());
    const { tooMany, unsubscribed, invalidTo, authenticate, notMine, outsideWindow, unavailable } = twilioErrors;
    const reactions = [tooMany(3), unsubscribed, invalidTo, authenticate, notMine, outsideWindow, unavailable];
    const thrown = await failuresOf(server, sms(server.url), credentials, ['+491701234567', reactions]);
    expect(thrown.map(({ failure, retryAfter }) => [failure, retryAfter])).toEqual([
      ['rateLimited', 3000],
      ['refused', null],
      ['refused', null],
      ['unauthorized', null],
      ['unauthorized', null],
      ['refused', null],
      ['deferred', 2000],
    ]);
    expect(JSON.stringify(thrown.map((error) => error.message))).not.toContain(twilioToken);
  });

  test('is refused for a wrong token and for a suspended account', async () => {
    const provider = sms((await started(startTwilioServer('suspended'))).url);
    expect(await failureOf(provider.verify(credentials, context))).toMatchObject({ failure: 'unauthorized' });
    const wrong = { ...credentials, authToken: `${twilioToken}0` };
    expect(await failureOf(provider.verify(wrong, context))).toMatchObject({ failure: 'unauthorized' });
  });
});

describe('a webhook', () => {
  const provider = webhook({ allowed: [parseNetwork('127.0.0.1')!] });

  test('is signed as the library of Standard Webhooks verifies it, with the notification as its id', async () => {
    const server = await started(startWebhookReceiver());
    const credentials = { url: `${server.url}/hook`, secret: webhookSecret };
    await provider.verify(credentials, context);
    await provider.send(message('anything', { html: '<p>Hello</p>' }), credentials, context);
    expect(server.asked.map(({ path }) => path)).toEqual(['/hook', '/hook']);
    expect(server.accepted).toMatchObject([
      {
        id: 'ntf_00000000000000000000000000',
        type: 'notification.send',
        timestamp: '2026-03-02T09:30:00.000Z',
        data: { recipientId: 'anything', subject: 'Order received', html: '<p>Hello</p>', channel: 'chatapp' },
      },
    ]);
  });

  test('says what the answers of the far end mean', async () => {
    const server = await started(startWebhookReceiver());
    const credentials = { url: server.url, secret: webhookSecret };
    const statuses = [301, 400, 401, 404, 410, 429, 500, 503];
    const reactions = statuses.map((status) => ({ status, headers: { 'Retry-After': '5', Location: '/b' } }));
    const thrown = await failuresOf(server, provider, credentials, ['a', reactions]);
    expect(thrown.map(({ failure }) => failure)).toEqual([
      'refused',
      'refused',
      'unauthorized',
      'refused',
      'unauthorized',
      'rateLimited',
      'unknown',
      'deferred',
    ]);
    expect(thrown.at(-1)!.retryAfter).toBe(5000);
    const otherSecret = { url: server.url, secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}` };
    expect(await failureOf(provider.verify(otherSecret, context))).toMatchObject({ failure: 'unauthorized' });
  });

  test.each(['https://10.0.0.1/', 'http://example.com:25/', 'https://[::1]/', 'https://a@example.com/', 'not a url'])(
    'takes no URL such as %s',
    (url) => {
      const strict = webhook({ allowed: [] });
      const { error } = strict.credentials.safeParse({ url, secret: webhookSecret });
      expect(error?.issues.map(({ path }) => path)).toEqual([['url']]);
    },
  );

  test.each(['', 'secret', 'whsec_', 'whsec_c2hvcnQ=', `whsec_${'A'.repeat(200)}`, 'whsec_ä'.padEnd(50, 'A')])(
    'takes no secret such as %s',
    (secret) => {
      const { error } = provider.credentials.safeParse({ url: 'https://example.com/', secret });
      expect(error?.issues.map(({ path }) => path)).toEqual([['secret']]);
    },
  );
});
