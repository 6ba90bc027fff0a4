import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { parseSettings, variables } from '../../../lib/settings/variables.ts';
import { problemOfMail } from '../../../lib/settings/variables-mail.ts';
import { problemOfPayment } from '../../../lib/settings/variables-payment.ts';

describe('the settings', () => {
  test('of an empty environment are the embedded defaults', () => {
    expect(parseSettings({})).toMatchObject({
      PORT: 3000,
      PUBLIC_URL: 'http://localhost:3000',
      METRICS_PORT: 3030,
      RATE_LIMIT_RPS: 500,
      CORS_ORIGINS: [],
      ADMIN_EMAIL: 'admin@localhost',
      MONGO_URL: undefined,
      NATS_URL: undefined,
      production: false,
    });
  });

  test('accept the example of every variable', () => {
    const examples = Object.fromEntries(Object.entries(variables).map(([name, { example }]) => [name, example]));
    // A mailbox for development and production exclude each other.
    for (const without of ['DEV_MAILBOX', 'NODE_ENV']) {
      expect(() => parseSettings({ ...examples, [without]: '' })).not.toThrow();
    }
  });

  test.each([
    ['PORT', '65536'],
    ['PORT', 'http'],
    ['PORT', '80.5'],
    ['MONGO_URL', 'http://localhost'],
    ['NATS_URL', 'localhost:4222'],
    ['NATS_URL', 'nats://one:4222,'],
    ['NATS_URL', 'nats://one:4222,http://two:4222'],
    ['NATS_URL', 'nats://one:4222,tls://two:4222'],
    ['NATS_URL', 'nats://ada:secret@one:4222,nats://ada:other@two:4222'],
    ['REDIS_URL', 'localhost:6379'],
    ['ACCESS_CACHE', 'disk'],
    ['SECRET_KEY', 'short'],
    ['PUBLIC_URL', 'localhost:3000'],
    ['PUBLIC_URL', 'example.com'],
    ['PUBLIC_URL', 'https://example.com/platform'],
    ['PUBLIC_URL', 'https://example.com//platform'],
    ['PUBLIC_URL', 'https://example.com/?a=b'],
    ['PUBLIC_URL', 'https://example.com#top'],
    ['PUBLIC_URL', 'https://ada@example.com'],
    ['PUBLIC_URL', 'https://ada:secret@example.com/'],
    ['PUBLIC_URL', 'https:\\\\@example.com'],
    ['HSTS_SUBDOMAINS', 'true'],
    ['STORAGE_URL', 'https://storage.example.com?a=b'],
    ['STORAGE_URL', 'https://ada@storage.example.com'],
    ['CDN_URL', 'https://cdn.example.com/files?token=a'],
    ['CDN_URL', 'https://cdn.example.com/#'],
    ['S3_URL', 'https://key:secret@s3.example.com'],
    ['STRIPE_API_BASE', 'https://stripe.example.com?x'],
    ['ADMIN_EMAIL', 'admin'],
    ['ADMIN_PASSWORD', 'short'],
    ['ADMIN_PASSWORD', 'x'.repeat(257)],
    ['RATE_LIMIT_RPS', '-1'],
    ['CORS_ORIGINS', 'example.com'],
    ['CORS_ORIGINS', 'https://one.example.com,https://two.example.com/app'],
    ['CORS_ORIGINS', 'https://ada@example.com'],
    ['DEFAULT_COUNTRY', 'Germany'],
    ['SMTP_URL', 'https://mail.example.com'],
    ['SMTP_URL', 'off'],
    ['PAYMENT_PROVIDER', 'paypal'],
    ['ALLOWED_ORIGINS', 'shop.example.com'],
    ['ALLOWED_ORIGINS', 'https://shop.example.com/return'],
    ['ALLOWED_ORIGINS', 'https://shop.example.com?a=b'],
    ['STRIPE_SECRET_KEY', 'short'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_example1,short'],
    ['STRIPE_API_BASE', 'stripe.example.com'],
    ['LOG_LEVEL', 'loud'],
    ['NODE_ENV', 'prod'],
    ['NODE_ID', 'a b'],
  ])('refuse %s=%s with a sentence that names it and an example', (name, value) => {
    const { example } = variables[name as keyof typeof variables];
    const environment = { SECRET_KEY: 'x'.repeat(32), [name]: value };
    expect(() => parseSettings(environment)).toThrow(new RegExp(`^${name} .*; for example ${name}=`));
    expect(() => parseSettings(environment)).toThrow(`${name}=${example}`);
  });

  test.each([
    ['PUBLIC_URL', 'HTTPS://Platform.Example:443/', 'https://platform.example'],
    ['PUBLIC_URL', 'http://[0:0::1]:3000', 'http://[::1]:3000'],
    ['CDN_URL', 'https://cdn.example.com/files/', 'https://cdn.example.com/files'],
    ['STORAGE_URL', 'https://example.com/storage', 'https://example.com/storage'],
    ['ALLOWED_ORIGINS', 'https://Shop.example.com:443/', ['https://shop.example.com']],
  ] as const)('take %s=%s as %s', (name, value, expected) => {
    expect(parseSettings({ [name]: value })[name]).toEqual(expected);
  });

  test('name every wrong variable at once', () => {
    expect(() => parseSettings({ PORT: 'x', LOG_LEVEL: 'x' })).toThrow(/^PORT .*\nLOG_LEVEL /);
  });

  test('require what Stripe signs its webhooks with beside its key, and the key where Stripe is chosen', () => {
    const key = { STRIPE_SECRET_KEY: 'sk_test_example1' };
    expect(() => parseSettings(key)).toThrow(/^STRIPE_WEBHOOK_SECRET must be set/);
    expect(() => parseSettings({ PAYMENT_PROVIDER: 'stripe' })).toThrow(/^STRIPE_SECRET_KEY must be set/);
    expect(() => parseSettings({ ...key, STRIPE_WEBHOOK_SECRET: 'whsec_example1, whsec_example2' })).not.toThrow();
  });

  test('compare the domains that organizations may send from in ASCII', () => {
    const { MAIL_SENDER_DOMAINS } = parseSettings({ MAIL_SENDER_DOMAINS: 'B\u00fccher.example,Acme.example=org_1' });
    expect(MAIL_SENDER_DOMAINS).toEqual(['xn--bcher-kva.example', 'acme.example=org_1']);
  });

  test('require a common SECRET_KEY and database in a pool', () => {
    const pool = { NATS_URL: 'nats://localhost', MONGO_URL: 'mongodb://localhost/x', SECRET_KEY: 'x'.repeat(32) };
    expect(() => parseSettings({ ...pool, SECRET_KEY: '' })).toThrow(/^SECRET_KEY must be set.*SECRET_KEY=\S+$/);
    expect(() => parseSettings({ ...pool, MONGO_URL: '' })).toThrow(/^MONGO_URL must be set.*MONGO_URL=\S+$/);
    expect(() => parseSettings({ ...pool, MONGO_URL: 'db' })).toThrow(/^MONGO_URL must be a mongodb.*MONGO_URL=\S+$/);
    expect(() => parseSettings(pool)).not.toThrow();
  });

  test('require a REDIS_URL for what is kept in Redis', () => {
    expect(() => parseSettings({ ACCESS_CACHE: 'redis' })).toThrow(/^REDIS_URL must be set/);
    expect(() => parseSettings({ ACCESS_CACHE: 'redis', REDIS_URL: 'redis://localhost' })).not.toThrow();
    expect(() => parseSettings({ ACCESS_CACHE: 'memory' })).not.toThrow();
  });

  test.each([
    ['NODE_ENV=production', { NODE_ENV: 'production' }, true],
    ['a name', { PUBLIC_URL: 'https://platform.example' }, true],
    ['another machine', { PUBLIC_URL: 'http://192.168.0.2:3000' }, true],
    ['a name that begins like loopback', { PUBLIC_URL: 'https://127.0.0.1.example' }, true],
    ['a name that ends like loopback', { PUBLIC_URL: 'https://evil.localhost' }, true],
    ['nothing', {}, false],
    ['localhost', { PUBLIC_URL: 'https://localhost:8443' }, false],
    ['127.0.0.0/8', { PUBLIC_URL: 'http://127.1.2.3' }, false],
    ['::1', { PUBLIC_URL: 'http://[::1]:3000' }, false],
  ])('of a platform at %s tell whether others are served', (_where, environment, isPublic) => {
    expect(parseSettings(environment).isPublic).toBe(isPublic);
    const forDevelopment = [{ DEV_MAILBOX: 'yes' }, { PAYMENT_PROVIDER: 'test' }, { PASSWORD_COST: '13' }];
    for (const setting of forDevelopment) {
      const parse = expect(() => parseSettings({ ...environment, ...setting }));
      const refusal = new RegExp(`^${Object.keys(setting)[0]} must (?:not be .* or to none|be at least 14 with)`, 's');
      if (isPublic) parse.toThrow(refusal);
      else parse.not.toThrow();
    }
  });

  test('count an empty text as unset', () => {
    expect(parseSettings({ PORT: '', MONGO_URL: '' })).toMatchObject({ PORT: 3000, MONGO_URL: undefined });
  });

  test('cannot be changed, and print no secret', () => {
    const settings = parseSettings({ MONGO_URL: 'mongodb://user:pa55word@db/x', ADMIN_PASSWORD: 'pa55word' });
    expect(Object.isFrozen(settings)).toBe(true);
    expect(`${inspect(settings)} ${JSON.stringify(settings)}`).not.toContain('pa55word');
    expect(settings.ADMIN_PASSWORD?.reveal()).toBe('pa55word');
  });
});

describe('where others are served, the settings', () => {
  const production = { NODE_ENV: 'production' };
  const behindProxy = { PUBLIC_URL: 'https://platform.example' };
  const elsewhere = { MONGO_URL: 'mongodb://127.0.0.1:1' };
  const off = { SMTP_URL: 'none', PAYMENT_PROVIDER: 'none' };
  const smtp = { SMTP_URL: 'smtp://127.0.0.1:1' };
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_123456', STRIPE_WEBHOOK_SECRET: 'whsec_123456' };
  const mail = expect.stringMatching(/^SMTP_URL must be set .*smtps:\/\/.* or to none/);
  const payments = expect.stringMatching(/^PAYMENT_PROVIDER must be set .*STRIPE_SECRET_KEY .*PAYMENT_PROVIDER=none/);

  test.each([
    ['mail and payments, with NODE_ENV=production', production, mail, payments],
    ['mail and payments, with a PUBLIC_URL that is not loopback', behindProxy, mail, payments],
    ['both, where the database is elsewhere', { ...production, ...elsewhere }, mail, payments],
    ['payments', { ...production, ...smtp }, null, payments],
    ['payments, where mail is turned off', { ...behindProxy, SMTP_URL: 'none' }, null, payments],
    ['mail', { ...behindProxy, ...stripe }, mail, null],
    ['mail, where payments are turned off', { ...production, PAYMENT_PROVIDER: 'none' }, mail, null],
    ['nothing', { ...production, ...off }, null, null],
  ])('lack %s', (_missing, environment, ofMail, ofPayment) => {
    const parsed = parseSettings(environment);
    expect([problemOfMail(parsed), problemOfPayment(parsed)]).toEqual([ofMail, ofPayment]);
  });

  test.each([
    ['DEV_MAILBOX', { ...production, ...off, DEV_MAILBOX: 'yes' }],
    ['DEV_MAILBOX', { ...behindProxy, ...stripe, ...smtp, DEV_MAILBOX: 'yes' }],
    ['PAYMENT_PROVIDER', { ...production, ...off, PAYMENT_PROVIDER: 'test' }],
    ['PAYMENT_PROVIDER', { ...behindProxy, ...stripe, ...smtp, PAYMENT_PROVIDER: 'test' }],
  ])('are refused with the %s that is for development', (name, environment) => {
    expect(() => parseSettings(environment)).toThrow(
      new RegExp(`^${name} must not be .* with NODE_ENV=production or a PUBLIC_URL`),
    );
  });
});

describe('the refusal of', () => {
  test.each([
    [{ PORT: 'http' }, /^PORT .*; for example PORT=3000$/],
    [
      { PUBLIC_URL: 'http://127.0.0.1:4000/platform' },
      /^PUBLIC_URL must have no path: .*; for example PUBLIC_URL=http:/,
    ],
    [
      { PUBLIC_URL: 'http://127.0.0.1:4000', STORAGE_URL: 'http://127.0.0.1:4000/files' },
      /^STORAGE_URL must have another host or port than PUBLIC_URL, .* STORAGE_URL=.*\nCDN_URL must .* CDN_URL=.*$/,
    ],
    [
      { PUBLIC_URL: 'http://127.0.0.1:4000', CDN_URL: 'http://127.0.0.1:4000/cdn' },
      /^CDN_URL must have another host or port than PUBLIC_URL, .*; for example CDN_URL=https:.*$/,
    ],
    [{ MONGO_URL: 'localhost' }, /^MONGO_URL must be a mongodb:\/\/ or .*; for example MONGO_URL=mongodb:/],
    [
      { MONGO_URL: 'mongodb://db/x?readPreference=nearest' },
      /^MONGO_URL must not change readPreference: .*primary; for/,
    ],
    [{ MONGO_URL: 'mongodb://db/x?journal=false' }, /^MONGO_URL must not change journal: .*; for example MONGO_URL=/],
    [
      { NATS_URL: 'nats://127.0.0.1:1' },
      /^MONGO_URL must be set, the same on every node, .* MONGO_URL=.*\nSECRET_KEY must be set, .* SECRET_KEY=/,
    ],
    [{ LOG_LEVEL: 'loud', RATE_LIMIT_RPS: '-1' }, /^RATE_LIMIT_RPS must .*\nLOG_LEVEL .*; for example LOG_LEVEL=info$/],
  ])('%o names variable, problem and example', (environment, sentence) => {
    expect(() => parseSettings(environment)).toThrow(sentence);
  });
});
