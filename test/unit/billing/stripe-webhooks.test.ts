import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import Stripe from 'stripe';
import { setClock } from '../../../lib/data/clock.ts';
import { StartError } from '../../../lib/settings/start-error.ts';
import { parseSettings } from '../../../lib/settings/variables.ts';
import { billingCycles, currencies, planNames } from '../../../models/billing/sold-version.ts';
import { parsePriceKey, priceKey } from '../../../services/billing/payment/stripe/prices.ts';
import { createStripeProvider } from '../../../services/billing/payment/stripe/provider.ts';

const sentAt = Date.parse('2030-01-01T00:00:00.000Z');
const [former, current] = ['whsec_that_goes_out_of_use', 'whsec_that_takes_its_place'];
// Nobody listens there: whatever asked Stripe would fail.
const provider = createStripeProvider({
  secretKey: 'sk_test_of_nobody',
  webhookSecrets: [former, current],
  apiBase: 'http://127.0.0.1:9',
});

let restoreClock = setClock(() => new Date(sentAt));
afterEach(() => {
  restoreClock();
  restoreClock = setClock(() => new Date(sentAt));
});

const event = {
  id: 'evt_1',
  object: 'event',
  type: 'customer.subscription.updated',
  created: sentAt / 1000,
  data: { object: { id: 'sub_1', object: 'subscription', metadata: { orgId: 'org_1', checkoutId: 'chk_1' } } },
};

function sign(payload: string, secret = current, timestamp = sentAt / 1000): Promise<string> {
  const cryptoProvider = Stripe.createSubtleCryptoProvider();
  return Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp, cryptoProvider });
}

async function verify(body: string, signature: string | Promise<string>) {
  return await provider.verifyWebhook({ body, headers: { 'stripe-signature': await signature } });
}

const refused = { type: 'WEBHOOK_INVALID', code: 400 };

describe('A webhook of Stripe', () => {
  test.each([former, current])('is taken when %s signed it', async (secret) => {
    const body = JSON.stringify(event, null, 2);
    expect(await verify(body, sign(body, secret))).toEqual({
      eventId: 'evt_1',
      type: 'customer.subscription.updated',
      sentAt: new Date(sentAt),
      payload: { id: 'sub_1', checkoutId: 'chk_1' },
      subject: 'sub_1',
    });
  });

  test('is about the subscription that it names', async () => {
    const invoice = { id: 'in_1', parent: { subscription_details: { subscription: 'sub_2', metadata: {} } } };
    const session = { id: 'cs_1', subscription: 'sub_3', metadata: null };
    for (const [object, subject] of [
      [invoice, 'sub_2'],
      [session, 'sub_3'],
      [{ id: 'cs_2', subscription: null }, 'cs_2'],
    ] as const) {
      const body = JSON.stringify({ ...event, data: { object } });
      expect(await verify(body, sign(body))).toMatchObject({ subject, payload: { id: object.id } });
    }
  });

  test('is refused when nobody signed it, or somebody else', async () => {
    const body = JSON.stringify(event);
    const signature = await sign(body);
    await expect(provider.verifyWebhook({ body, headers: {} })).rejects.toMatchObject(refused);
    await expect(verify(body, '')).rejects.toMatchObject(refused);
    await expect(verify(body, 't=1,v1=00')).rejects.toMatchObject(refused);
    await expect(verify(body, 'nothing of the kind')).rejects.toMatchObject(refused);
    await expect(verify(body, sign(body, 'whsec_of_somebody_else'))).rejects.toMatchObject(refused);
    await expect(verify(body.replace('sub_1', 'sub_2'), signature)).rejects.toMatchObject(refused);
    await expect(verify(`${body} `, signature)).rejects.toMatchObject(refused);
  });

  test('is refused when it is older than five minutes', async () => {
    const body = JSON.stringify(event);
    const signature = await sign(body);
    restoreClock();
    restoreClock = setClock(() => new Date(sentAt + 300_000));
    await expect(verify(body, signature)).resolves.toMatchObject({ eventId: 'evt_1' });
    restoreClock();
    restoreClock = setClock(() => new Date(sentAt + 301_000));
    await expect(verify(body, signature)).rejects.toMatchObject(refused);
  });

  test.each([
    ['no JSON', '{'],
    ['a text', '"evt_1"'],
    ['null', 'null'],
    ['no event', '{"object":"event"}'],
    ['an event without an object', JSON.stringify({ ...event, data: {} })],
    ['a thin event', JSON.stringify({ ...event, object: 'v2.core.event' })],
  ])('is refused when it is %s, though it is signed', async (_name, body) => {
    await expect(verify(body, sign(body))).rejects.toMatchObject(refused);
  });

  test('of a kind that is of no concern is taken, and asks Stripe for nothing', async () => {
    for (const type of ['charge.refunded', 'invoice.created', 'balance.available', 'constructor', '__proto__']) {
      const body = JSON.stringify({ ...event, type, data: { object: {} } });
      const paymentEvent = await provider.interpret(await verify(body, sign(body)));
      expect(paymentEvent).toEqual({ checkoutId: null, gatewaySubscriptionId: null, events: [] });
    }
  });

  test('of a kind that matters is not lost while Stripe cannot be reached', async () => {
    const body = JSON.stringify(event);
    const notice = await verify(body, sign(body));
    await expect(provider.interpret(notice)).rejects.toThrow(/connection/i);
  });
});

test('What a price is named after can be read from its name, and from no other text', () => {
  const terms = fc.record({
    plan: fc.constantFrom(...planNames),
    version: fc.integer({ min: 1, max: 99_999 }),
    billingCycle: fc.constantFrom(...billingCycles),
  });
  const currency = fc.constantFrom(...currencies);
  fc.assert(
    fc.property(terms, currency, (one, money) => {
      expect(parsePriceKey(priceKey(one, money))).toEqual({ terms: one, currency: money });
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => parsePriceKey(text) === null));
  for (const text of ['pro@0:monthly:eur', 'gold@1:monthly:eur', 'pro@1:weekly:eur', 'pro@1:monthly:jpy', 'pro@1']) {
    expect(parsePriceKey(text)).toBeNull();
  }
});

describe('The settings for Stripe', () => {
  const complete = { STRIPE_SECRET_KEY: 'sk_test_12345678', STRIPE_WEBHOOK_SECRET: 'whsec_12345678, whsec_87654321' };
  const problemsOf = (environment: Record<string, string>): string => {
    try {
      parseSettings(environment);
      return '';
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      return error.message;
    }
  };

  test('are secret, and the webhooks’ may be several', () => {
    const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_BASE } = parseSettings(complete);
    expect(JSON.stringify([STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET])).toBe('["***",["***","***"]]');
    expect(STRIPE_WEBHOOK_SECRET.map((secret) => secret.reveal())).toEqual(['whsec_12345678', 'whsec_87654321']);
    expect(STRIPE_API_BASE).toBeUndefined();
    expect(parseSettings({}).STRIPE_WEBHOOK_SECRET).toEqual([]);
  });

  test('are refused when no payment could be heard of', () => {
    expect(problemsOf({ STRIPE_SECRET_KEY: complete.STRIPE_SECRET_KEY })).toMatch(/^STRIPE_WEBHOOK_SECRET must be set/);
    expect(problemsOf({ PAYMENT_PROVIDER: 'stripe' })).toMatch(/^STRIPE_SECRET_KEY must be set/);
    expect(problemsOf({ ...complete, STRIPE_WEBHOOK_SECRET: 'short' })).toMatch(/^STRIPE_WEBHOOK_SECRET must have/);
    expect(problemsOf({ ...complete, STRIPE_API_BASE: 'stripe' })).toMatch(/^STRIPE_API_BASE must be/);
    expect(problemsOf({ ...complete, PAYMENT_PROVIDER: 'stripe' })).toBe('');
  });
});
