import { afterEach, describe, expect, test } from '@jest/globals';
import { parseSettings } from '../../../lib/settings/variables.ts';
import { chosenProvider } from '../../../services/billing/payment/choice.ts';
import type { PaymentProvider } from '../../../services/billing/payment/provider.ts';
import { providerNamed, replaceProvider } from '../../../services/billing/payment/providers.ts';

const stripe = { STRIPE_SECRET_KEY: 'sk_test_123456', STRIPE_WEBHOOK_SECRET: 'whsec_123456' };
const database = { MONGO_URL: 'mongodb://localhost:27017' };
const pool = { ...database, NATS_URL: 'nats://localhost:4222', SECRET_KEY: 'x'.repeat(32) };
const chosen = (environment: Record<string, string>) => chosenProvider(parseSettings(environment));

describe('who collects what is bought', () => {
  test.each([
    ['test', {}],
    ['manual', pool],
    ['manual', database],
    ['test', { ...database, PAYMENT_PROVIDER: 'test' }],
    ['stripe', { ...database, ...stripe }],
    ['stripe', stripe],
    ['stripe', { ...pool, ...stripe }],
    ['test', { ...pool, PAYMENT_PROVIDER: 'test' }],
    ['manual', { ...stripe, PAYMENT_PROVIDER: 'manual' }],
    ['none', { ...stripe, PAYMENT_PROVIDER: 'none' }],
  ])('is %s with %j', (name, environment) => {
    expect(chosen(environment)).toBe(name);
  });

  test.each([
    [{ PAYMENT_PROVIDER: 'paypal' }, /PAYMENT_PROVIDER must be test, manual, stripe or none/],
    [{ PAYMENT_PROVIDER: 'stripe' }, /STRIPE_SECRET_KEY must be set/],
    [{ ALLOWED_ORIGINS: 'shop.example.com' }, /ALLOWED_ORIGINS must be a list of origins/],
  ])('is not guessed with %j', (environment, words) => {
    expect(() => parseSettings(environment)).toThrow(words);
  });
});

describe('a provider', () => {
  let putBack = (): void => undefined;
  afterEach(() => putBack());

  test('is had by its name', async () => {
    for (const name of ['test', 'manual']) expect((await providerNamed(name)).name).toBe(name);
    for (const name of ['paypal', '__proto__', '']) {
      await expect(providerNamed(name)).rejects.toThrow(/There is no payment provider/);
    }
  });

  test('that lacks its settings says so, and is tried again', async () => {
    await expect(providerNamed('stripe')).rejects.toMatchObject({
      type: 'UNAVAILABLE',
      data: { headers: { 'Retry-After': '60' } },
      cause: { message: expect.stringContaining('STRIPE_SECRET_KEY') },
    });
    putBack = replaceProvider({ name: 'stripe' } as PaymentProvider);
    expect((await providerNamed('stripe')).name).toBe('stripe');
  });
});
