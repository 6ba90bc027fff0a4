import { z } from 'zod';
import { apiError } from '../../../../lib/errors.ts';
import { billingCycles, currencies, planNames } from '../../../../models/billing/sold-version.ts';
import type { TestPayment } from '../../../../models/billing/test-payment.ts';
import { isSandboxActive } from '../choice.ts';
import type { Order, PaymentEvent, PaymentProvider, VerifiedWebhook, WebhookRequest } from '../provider.ts';
import { subscriptionIdFor } from '../subscription-id.ts';
import { chargeCard, closeCheckout, endSubscription, payCheckout, refundCheckout } from './payments.ts';
import { isWebhookSigned } from './signature.ts';

/** The body of the test provider's webhook. */
const webhook = z.object({
  id: z.string().min(1).max(100),
  type: z.string(),
  createdAt: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});

const payment = z.object({
  checkoutId: z.string(),
  gatewaySubscriptionId: z.string(),
  terms: z.object({ plan: z.enum(planNames), version: z.int(), billingCycle: z.enum(billingCycles) }),
  currency: z.enum(currencies),
  amount: z.int().min(0),
}) satisfies z.ZodType<TestPayment>;

export const completedType = 'checkout.completed';

/**
 * The test provider, for trying everything without money: the payer chooses the outcome on a page of the platform.
 * Payments are reported by signed webhooks, as by any other provider. The platform itself keeps account and asks for
 * renewals.
 */
export const testProvider: PaymentProvider = {
  name: 'test',
  collection: 'platform',
  openCheckout: async ({ checkoutId, expiresAt }) => ({ gatewayCheckoutId: checkoutId, url: null, expiresAt }),
  closeCheckout: ({ gatewayCheckoutId, orgId }) => closeCheckout(gatewayCheckoutId, orgId),
  async upgrade({ order }) {
    await payCheckout({ orgId: order.orgId, payment: paymentOf(order), declinesRenewals: false });
    return { url: null };
  },
  // Once the platform takes real money, test subscriptions are not renewed.
  charge: async (charge) => (isSandboxActive() ? await chargeCard(charge) : 'failed'),
  cancelAtPeriodEnd: async () => undefined,
  resume: async () => undefined,
  changePlan: async () => undefined,
  end: ({ gatewaySubscriptionId }) => endSubscription(gatewaySubscriptionId),
  async refund({ checkoutId, orgId }) {
    await refundCheckout(checkoutId, orgId);
    return 'refunded';
  },
  read: async () => null,
  verifyWebhook: async (delivery) => verify(delivery),
  interpret: async (notice) => interpret(notice),
};

/** The payment of an order. */
export function paymentOf(order: Pick<Order, keyof TestPayment>): TestPayment {
  const { checkoutId, terms, currency, amount } = order;
  const gatewaySubscriptionId = order.gatewaySubscriptionId ?? subscriptionIdFor(checkoutId);
  return { checkoutId, gatewaySubscriptionId, terms, currency, amount };
}

function verify({ body, headers }: WebhookRequest): VerifiedWebhook {
  if (!isWebhookSigned(headers['platform-signature'] ?? '', body)) throw apiError('WEBHOOK_INVALID');
  const { id, type, createdAt, data } = readBody(body);
  return { eventId: id, type, sentAt: new Date(createdAt), payload: data };
}

function readBody(body: string): z.output<typeof webhook> {
  try {
    return webhook.parse(JSON.parse(body));
  } catch (cause) {
    throw apiError('WEBHOOK_INVALID', { message: 'The webhook cannot be read.', cause });
  }
}

function interpret({ type, payload }: VerifiedWebhook): PaymentEvent {
  if (type !== completedType) return { checkoutId: null, gatewaySubscriptionId: null, events: [] };
  const paid = payment.parse(payload);
  const { checkoutId, gatewaySubscriptionId } = paid;
  return {
    checkoutId,
    gatewaySubscriptionId,
    events: [{ kind: 'checkoutCompleted', ...paid, provider: 'test', collection: 'platform', period: null }],
  };
}
