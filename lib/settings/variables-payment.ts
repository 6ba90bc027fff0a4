import { z } from 'zod';
import { httpUrl, list, origins, secret } from './setting-schemas.ts';

/** The environment variables of the payment provider, and of the origins to which payers return. */
export const paymentVariables = {
  PAYMENT_PROVIDER: {
    about:
      'Payment provider: stripe, manual (an operator records payments), test (a sandbox page that accepts every ' +
      'payment, on this machine only), or none, which turns payments off. Unset: stripe with STRIPE_SECRET_KEY, otherwise ' +
      'manual with NATS_URL or MONGO_URL, otherwise test; must be set with NODE_ENV=production or a PUBLIC_URL that ' +
      'is not loopback.',
    example: 'manual',
    schema: z.enum(['test', 'manual', 'stripe', 'none'], 'must be test, manual, stripe or none').optional(),
  },
  ALLOWED_ORIGINS: {
    about:
      'Origins allowed as return addresses after a login, and after a payment for every organization, separated ' +
      'by commas; the same on every node. Unset: none.',
    example: 'https://shop.example.com',
    schema: origins.default([]),
  },
  STRIPE_SECRET_KEY: {
    about: 'Secret key of the Stripe account that collects payments.',
    example: 'sk_live_51Nexample',
    schema: secret(8, 256).optional(),
  },
  STRIPE_WEBHOOK_SECRET: {
    about:
      'Signing secret of the webhooks that Stripe sends to /v1/billing/webhooks/stripe; several during ' +
      'a rotation, separated by commas.',
    example: 'whsec_example1',
    schema: list.pipe(z.array(secret(8, 256))).default([]),
  },
  STRIPE_API_BASE: {
    about: 'URL of Stripe’s API, for a mock or a proxy. Unset: Stripe’s public API.',
    example: 'https://stripe-proxy.example.com',
    schema: httpUrl.optional(),
  },
};

type Payment = { PAYMENT_PROVIDER?: unknown; STRIPE_SECRET_KEY?: unknown; isPublic: boolean };

/** Why the settings select no payment provider; null when they do, or when payments are turned off. */
export function problemOfPayment({ PAYMENT_PROVIDER, STRIPE_SECRET_KEY, isPublic }: Payment): string | null {
  if (PAYMENT_PROVIDER || STRIPE_SECRET_KEY || !isPublic) return null;
  return (
    'PAYMENT_PROVIDER must be set with NODE_ENV=production or a PUBLIC_URL that is not loopback: set STRIPE_SECRET_KEY ' +
    'and STRIPE_WEBHOOK_SECRET, or PAYMENT_PROVIDER=manual, or PAYMENT_PROVIDER=none, which turns payments off.'
  );
}

type PaymentSettings = { [K in keyof typeof paymentVariables]?: unknown };

/** The conflicts between settings that are each valid alone. */
export function problemsOfPayment({ PAYMENT_PROVIDER, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET }: PaymentSettings) {
  const { example } = paymentVariables.STRIPE_WEBHOOK_SECRET;
  const isSigned = Array.isArray(STRIPE_WEBHOOK_SECRET) && STRIPE_WEBHOOK_SECRET.length > 0;
  return [
    ...(PAYMENT_PROVIDER === 'stripe' && !STRIPE_SECRET_KEY
      ? ['STRIPE_SECRET_KEY must be set when PAYMENT_PROVIDER is stripe; see the keys in Stripe’s dashboard']
      : []),
    ...(STRIPE_SECRET_KEY && !isSigned
      ? [
          'STRIPE_WEBHOOK_SECRET must be set when STRIPE_SECRET_KEY is, because payments are reported by webhooks; ' +
            `for example STRIPE_WEBHOOK_SECRET=${example}`,
        ]
      : []),
  ];
}
