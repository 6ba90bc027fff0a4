import { z } from 'zod';
import { httpUrl, list, origins, secret } from './setting-schemas.ts';

/** The environment variables of the payment provider, and of the origins to which payers return. */
export const paymentVariables = {
  PAYMENT_PROVIDER: {
    about:
      'Who collects payments: stripe, manual (an operator says what was paid), test (a page where anybody pays with ' +
      'nothing, for this machine alone), or none, which turns payments off. Unset: stripe with STRIPE_SECRET_KEY, else ' +
      'manual with NATS_URL or MONGO_URL, else test; must be set with NODE_ENV=production or a PUBLIC_URL that is not ' +
      'loopback.',
    example: 'manual',
    schema: z.enum(['test', 'manual', 'stripe', 'none'], 'must be test, manual, stripe or none').optional(),
  },
  ALLOWED_ORIGINS: {
    about:
      'Origins that people may be sent back to after a login, and payers of every organization after a payment, separated ' +
      'by commas; the same on every node. Unset: none.',
    example: 'https://shop.example.com',
    schema: origins.default([]),
  },
  STRIPE_SECRET_KEY: {
    about: 'Secret key of the account at Stripe that collects payments.',
    example: 'sk_live_51Nexample',
    schema: secret(8, 256).optional(),
  },
  STRIPE_WEBHOOK_SECRET: {
    about:
      'Signing secret of the webhooks that Stripe sends to /v1/billing/webhooks/stripe; several, while one takes the ' +
      'place of another, separated by commas.',
    example: 'whsec_example1',
    schema: list.pipe(z.array(secret(8, 256))).default([]),
  },
  STRIPE_API_BASE: {
    about: 'Address of Stripe’s API, for a stand-in or a proxy. Unset: Stripe’s own.',
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
          'STRIPE_WEBHOOK_SECRET must be set when STRIPE_SECRET_KEY is, or no payment is ever heard of; ' +
            `for example STRIPE_WEBHOOK_SECRET=${example}`,
        ]
      : []),
  ];
}
