import { z } from 'zod';
import { defineAction } from '../../../../lib/action.ts';
import { apiError } from '../../../../lib/errors.ts';
import { exampleId } from '../../../../lib/examples.ts';
import { pathText } from '../../../../lib/path-text.ts';
import { settings } from '../../../../lib/settings.ts';
import type { PaymentProvider } from '../provider.ts';
import { providerNamed } from '../providers.ts';
import { storeWebhook, tryWebhook } from './webhooks.ts';

const signature = z.string().max(4096).optional();

/**
 * POST /v1/billing/webhooks/:provider: receives a signed webhook of a payment provider. It is stored before the answer,
 * and counts once however often it is delivered. A failure is retried here, for 30 days.
 */
export const receiveWebhook = defineAction({
  rest: 'POST /v1/billing/webhooks/:provider',
  summary: 'Receive a webhook of a payment provider',
  permission: 'public',
  input: {
    path: z.strictObject({ provider: pathText(/^[a-z]+$/) }),
    headers: z.strictObject({ 'stripe-signature': signature, 'platform-signature': signature }),
    body: z.string(),
  },
  takes: 'text',
  limits: { bodyBytes: 256 * 1024, fromServers: true },
  output: z.strictObject({ received: z.literal(true) }),
  errors: ['NOT_FOUND', 'WEBHOOK_INVALID'],
  example: {
    path: { provider: 'stripe' },
    headers: { 'stripe-signature': `t=1772443800,v1=${'0123456789abcdef'.repeat(4)}` },
    body: JSON.stringify({
      id: 'evt_example',
      object: 'event',
      type: 'checkout.session.completed',
      created: 1772443800,
      data: {
        object: {
          id: 'cs_example',
          object: 'checkout.session',
          client_reference_id: exampleId('chk'),
          metadata: { orgId: exampleId('org'), checkoutId: exampleId('chk') },
          subscription: 'sub_example',
        },
      },
    }),
    output: { received: true },
  },
  async handler({ path, headers, body, ctx }) {
    const provider = await senderNamed(path.provider);
    const notice = await provider.verifyWebhook({ body, headers: present(headers) });
    const webhook = await storeWebhook(provider.name, notice);
    if (webhook) await tryWebhook(ctx, webhook);
    return { received: true as const };
  },
});

/** Only these providers send webhooks, and only where the platform has settings for them. */
async function senderNamed(name: string): Promise<PaymentProvider> {
  if (name === 'test' || (name === 'stripe' && settings.STRIPE_SECRET_KEY)) return await providerNamed(name);
  throw apiError('NOT_FOUND');
}

function present(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter((one): one is [string, string] => one[1] !== undefined));
}

declare module '../../../../lib/calls.ts' {
  interface Calls {
    'billing.webhooks.receive': typeof receiveWebhook;
  }
}
