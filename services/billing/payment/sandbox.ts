import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type Ctx, call } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { fromNow, minute, now, second } from '../../../lib/data/clock.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { keyFor } from '../../../lib/security/encryption.ts';
import { billingCycles, currencies, planNames } from '../../../models/billing/sold-version.ts';
import {
  type TestOutcomeDocument,
  TestOutcomeModel,
  type TestPayment,
  type TestSubscriptionDocument,
  TestSubscriptionModel,
} from '../../../models/billing/test-payment.ts';
import { isSandboxActive } from './choice.ts';
import {
  type Charge,
  type Order,
  type PaymentEvent,
  type PaymentProvider,
  subscriptionIdFor,
  type VerifiedWebhook,
  type WebhookRequest,
} from './provider.ts';

/** A payment on the page: `declinesRenewals` when the payer chose a card that no renewal can be charged to. */
export type SandboxPayment = { orgId: string; payment: TestPayment; declinesRenewals: boolean };

/**
 * Pays a checkout; a webhook will report it. Of any number of payments and closings the first counts.
 *
 * @returns whether it is paid, by this call or by one before.
 */
export async function payCheckout({ orgId, payment, declinesRenewals }: SandboxPayment): Promise<boolean> {
  return (await endOnce({ _id: payment.checkoutId, orgId, payment, declinesRenewals, isTold: false })) !== null;
}

/** Closes a checkout, unless it was paid. */
export async function closeCheckout(checkoutId: string, orgId: string): Promise<void> {
  await endOnce({ _id: checkoutId, orgId, payment: null, declinesRenewals: false, isTold: true });
}

/** The payment that ended the checkout; null when it was closed. */
async function endOnce(outcome: Omit<TestOutcomeDocument, 'nextAttemptAt' | 'createdAt'>): Promise<TestPayment | null> {
  const at = now();
  const isFirst = await insertIfAbsent<TestOutcomeDocument>(TestOutcomeModel, {
    ...outcome,
    nextAttemptAt: at,
    createdAt: at,
  });
  if (isFirst) return outcome.payment;
  const { _id, orgId } = outcome;
  const previous = await TestOutcomeModel.findOne({ _id, orgId }).lean<TestOutcomeDocument>();
  return previous?.payment ?? null;
}

/** Stores the card of a subscription. */
export async function saveCard({ orgId, payment, declinesRenewals }: TestOutcomeDocument): Promise<void> {
  if (!payment) return;
  const _id = payment.gatewaySubscriptionId;
  const document = { _id, orgId, declinesRenewals, isEnded: false, charges: [] };
  const isNew = await insertIfAbsent<TestSubscriptionDocument>(TestSubscriptionModel, document);
  if (!isNew) await TestSubscriptionModel.updateOne({ _id, orgId }, { $set: { declinesRenewals } });
}

/** Charges a subscription's card; the same key always has the same outcome. */
export async function chargeCard({ key, orgId, gatewaySubscriptionId: _id }: Charge): Promise<'paid' | 'failed'> {
  const subscription = await findSubscription(_id, orgId);
  if (!subscription) return 'failed';
  const isPaid = !subscription.declinesRenewals && !subscription.isEnded;
  await TestSubscriptionModel.updateOne(
    { _id, orgId, 'charges.key': { $ne: key } },
    { $push: { charges: { key, isPaid } } },
  );
  const charged = (await findSubscription(_id, orgId))?.charges.find((charge) => charge.key === key);
  return charged?.isPaid ? 'paid' : 'failed';
}

/** Nothing is charged from now on. */
export async function endSubscription(_id: string): Promise<void> {
  await TestSubscriptionModel.updateOne({ _id }, { $set: { isEnded: true } }).setOptions({ acrossTenants: true });
}

/** Stores that the payment of a checkout was refunded. */
export async function refundCheckout(_id: string, orgId: string): Promise<void> {
  await TestOutcomeModel.updateOne({ _id, orgId, payment: { $ne: null } }, { $set: { isRefunded: true } });
}

function findSubscription(_id: string, orgId: string): Promise<TestSubscriptionDocument | null> {
  return TestSubscriptionModel.findOne({ _id, orgId }).lean<TestSubscriptionDocument>().exec();
}

const purpose = 'signature of webhooks of the test provider';
/** How far a signature's time may differ, in either direction, because clocks differ. */
const toleranceSeconds = 300;

/**
 * The header `platform-signature` of a webhook: `t=<seconds since 1970>,v1=<HMAC-SHA-256 of "t.body" in hex>`, under a
 * key of the platform's own.
 */
export function signWebhook(body: string, at: Date = now()): string {
  const seconds = Math.floor(at.getTime() / second);
  return `t=${seconds},v1=${signatureOf(String(seconds), body).toString('hex')}`;
}

/** Whether one of the signatures in the header is of this body, and was made not longer than five minutes ago. */
export function isWebhookSigned(header: string, body: string): boolean {
  const parts = header.split(',').map((part) => part.trim().split('=') as [string, string?]);
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d{1,12}$/.test(time)) return false;
  if (Math.abs(now().getTime() / second - Number(time)) > toleranceSeconds) return false;
  const expected = signatureOf(time, body);
  return parts.some(([name, value]) => name === 'v1' && isEqual(expected, value ?? ''));
}

function signatureOf(time: string, body: string): Buffer {
  return createHmac('sha256', keyFor(purpose)).update(`${time}.${body}`).digest();
}

function isEqual(expected: Buffer, hex: string): boolean {
  const signature = Buffer.from(hex, 'hex');
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}

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

const retryAfter = minute;
const deliveryConcurrency = 100;

/** Sends the platform the webhook of a payment, as another provider would. The sweep retries a failure. */
export async function deliverWebhook(ctx: Ctx, checkoutId: string): Promise<void> {
  const outcome = await TestOutcomeModel.findOne({ _id: checkoutId })
    .setOptions({ acrossTenants: true })
    .lean<TestOutcomeDocument>();
  if (outcome && !outcome.isTold) await deliver(ctx, outcome);
}

/** Sends the webhooks that were not accepted yet. */
export async function deliverWebhooks(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const waiting = await TestOutcomeModel.find({ isTold: false, nextAttemptAt: { $lte: now() } })
    .setOptions({ acrossTenants: true, sort: { nextAttemptAt: 1 }, limit: deliveryConcurrency })
    .lean<TestOutcomeDocument[]>();
  for (const outcome of waiting) {
    if (signal.aborted) return;
    await deliver(ctx, outcome);
  }
}

/** Never throws. */
async function deliver(ctx: Ctx, outcome: TestOutcomeDocument): Promise<void> {
  const { _id, orgId, createdAt, payment } = outcome;
  const id = _id.replace(/^chk_/, 'evt_');
  try {
    await saveCard(outcome);
    const body = JSON.stringify({ id, type: completedType, createdAt: createdAt.toISOString(), data: payment });
    await call(ctx, 'billing.webhooks.receive', {
      path: { provider: 'test' },
      headers: { 'platform-signature': signWebhook(body) },
      body,
    });
    await TestOutcomeModel.updateOne({ _id, orgId }, { $set: { isTold: true } });
  } catch (error) {
    ctx.broker.logger.warn('Delivering a webhook of the test provider failed; will retry', { _id, error });
    await TestOutcomeModel.updateOne({ _id, orgId }, { $set: { nextAttemptAt: fromNow(retryAfter) } }).catch(
      () => undefined,
    );
  }
}
