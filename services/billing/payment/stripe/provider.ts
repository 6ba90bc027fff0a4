import Stripe from 'stripe';
import { hashJson } from '../../../../lib/data/canonical-json.ts';
import { second } from '../../../../lib/data/clock.ts';
import { settings } from '../../../../lib/settings/settings.ts';
import type { PaymentProvider } from '../provider.ts';
import { closeSession, forgetCustomer, openSession } from './customers.ts';
import { createPriceBook, keyOfPrice, type PriceBook, priceKey } from './prices.ts';
import { paymentEventOf } from './reading.ts';
import { refund } from './refunds.ts';
import { isOutage, once, orNull } from './requests.ts';
import {
  findRunning,
  isCanceling,
  isEnded,
  itemOf,
  openInvoicePage,
  releaseSchedule,
  resumeRenewal,
  retrieveSubscription,
  schedulePrice,
} from './subscriptions.ts';
import { upgrade } from './upgrade.ts';
import { interpret, verifyWebhook } from './webhooks.ts';

type Asked<K extends 'cancelAtPeriodEnd' | 'resume' | 'changePlan' | 'end'> = Parameters<PaymentProvider[K]>[0];

/** Clears the schedule that `upgrade` set aside. */
const nothingPutAside = { afterwards: '' };

/** Ends a subscription with its period and sends Stripe the reason. A scheduled change is taken back. */
export async function cancelAtPeriodEnd(api: StripeApi, change: Asked<'cancelAtPeriodEnd'>): Promise<void> {
  const subscription = await findRunning(api, change);
  if (!subscription) return;
  // Stripe refuses this for a subscription under a schedule.
  await releaseSchedule(api, subscription, change.key);
  await api.stripe.subscriptions.update(
    subscription.id,
    {
      cancel_at_period_end: true,
      cancellation_details: { comment: change.reason ?? '' },
      metadata: nothingPutAside,
    },
    once(change.key, 'cancel', hashJson(change.reason)),
  );
}

/** Revokes a cancellation. */
export async function resume(api: StripeApi, change: Asked<'resume'>): Promise<void> {
  const subscription = await findRunning(api, change);
  if (!subscription || !isCanceling(subscription)) return;
  await resumeRenewal(api, subscription, change.key);
}

/** Schedules another plan from the next period on. The present plan takes back a scheduled change. */
export async function changePlan(api: StripeApi, { key, to, currency, ...change }: Asked<'changePlan'>): Promise<void> {
  const subscription = await findRunning(api, change);
  if (!subscription) return;
  const isBack = keyOfPrice(itemOf(subscription).price) === priceKey(to, currency);
  if (isBack) await releaseSchedule(api, subscription, key);
  else await schedulePrice(api, subscription, { to, currency, key });
  if (subscription.metadata.afterwards) {
    await api.stripe.subscriptions.update(subscription.id, { metadata: nothingPutAside }, once(key, 'forget'));
  }
}

/** Ends a subscription now and voids its open invoices: a customer does not pay for what they do not get. */
export async function end(api: StripeApi, { key, gatewaySubscriptionId }: Asked<'end'>): Promise<void> {
  const { stripe } = api;
  const subscription = await retrieveSubscription(api, gatewaySubscriptionId);
  if (!subscription) return;
  if (!isEnded(subscription)) {
    await releaseSchedule(api, subscription, key);
    await orNull(stripe.subscriptions.cancel(subscription.id));
  }
  // Only after the end: voiding the invoice of a running subscription puts it in force again.
  for (const status of ['open', 'draft'] as const) {
    for await (const { id } of stripe.invoices.list({ subscription: subscription.id, status, limit: 100 })) {
      // A draft of a subscription cannot be made void; it can be left a draft.
      if (status === 'open') await stripe.invoices.voidInvoice(id, {}, once(key, 'void', id));
      else await stripe.invoices.update(id, { auto_advance: false }, once(key, 'leave', id));
    }
  }
}

/**
 * The version that the library's types describe. Webhooks may use another one: their subjects are read again in this
 * one.
 */
const apiVersion = '2026-10-28.endive';
const timeout = 20 * second;

export type StripeOptions = {
  secretKey: string;
  /** Each of them is valid; there are several during a rotation. */
  webhookSecrets: readonly string[];
  /** Replaces Stripe's address, for a stand-in or a proxy. */
  apiBase?: string | undefined;
};

/** The Stripe client and its settings. */
export type StripeApi = { stripe: Stripe; prices: PriceBook; webhookSecrets: readonly string[] };

export function connect({ secretKey, webhookSecrets, apiBase }: StripeOptions): StripeApi {
  const stripe = new Stripe(secretKey, {
    apiVersion,
    telemetry: false,
    maxNetworkRetries: 2,
    timeout,
    ...(apiBase && addressOf(new URL(apiBase))),
  });
  return { stripe, prices: createPriceBook(stripe), webhookSecrets };
}

function addressOf({ protocol, hostname, port }: URL): Stripe.StripeConfig {
  const isPlain = protocol === 'http:';
  return { protocol: isPlain ? 'http' : 'https', host: hostname, port: port || (isPlain ? 80 : 443) };
}

/**
 * Stripe: the payer pays on its pages, and it renews subscriptions by itself. Its state is read each time; its webhooks
 * only say when to read.
 *
 * @throws Error without a secret key.
 */
export function createStripeProvider(options: StripeOptions = optionsOf(settings)): PaymentProvider {
  const api = connect(options);
  return {
    name: 'stripe',
    collection: 'provider',
    async openCheckout(order) {
      const { gatewaySubscriptionId, isOverdue, expiresAt } = order;
      if (gatewaySubscriptionId === null) return await openSession(api, order);
      const url = isOverdue ? await openInvoicePage(api, { gatewaySubscriptionId }) : null;
      return { gatewayCheckoutId: null, url, expiresAt };
    },
    closeCheckout: (checkout) => closeSession(api, checkout),
    upgrade: (change) => upgrade(api, change),
    charge: () => Promise.reject(new Error('Stripe renews subscriptions itself; the platform does not charge them.')),
    cancelAtPeriodEnd: (change) => cancelAtPeriodEnd(api, change),
    resume: (change) => resume(api, change),
    changePlan: (change) => changePlan(api, change),
    end: (change) => end(api, change),
    refund: (what) => refund(api, what),
    forget: (orgId) => forgetCustomer(api.stripe, orgId),
    read: (gatewaySubscriptionId) => paymentEventOf(api, gatewaySubscriptionId),
    verifyWebhook: (delivery) => verifyWebhook(api, delivery),
    interpret: (notice) => interpret(api, notice),
    isOutage,
  };
}

type StripeSettings = Pick<typeof settings, 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_BASE'>;

function optionsOf({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_BASE }: StripeSettings): StripeOptions {
  if (!STRIPE_SECRET_KEY) throw new Error('STRIPE_SECRET_KEY must be set, because there are purchases at Stripe.');
  return {
    secretKey: STRIPE_SECRET_KEY.reveal(),
    webhookSecrets: STRIPE_WEBHOOK_SECRET.map((secret) => secret.reveal()),
    apiBase: STRIPE_API_BASE,
  };
}
